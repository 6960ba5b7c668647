/* The cache of compiled kernels: <triton/cache.h> for C programs. The rules are those of <triton/c.h>. A cache is a directory, `root`; entries and files have names, no paths. */
#ifndef TRITON_C_CACHE_H
#define TRITON_C_CACHE_H

#include <triton/c.h>

#ifdef __cplusplus
extern "C" {
#endif

TRITON_EXPORT int triton_cache_put(const char *root, triton_text entry, triton_text file, triton_text content,
                                   triton_error **error);
/* NULL if it is not there. */
TRITON_EXPORT triton_bytes *triton_cache_get(const char *root, triton_text entry, triton_text file);
TRITON_EXPORT int triton_cache_has(const char *root, triton_text entry, triton_text file);
/* Marks an entry as used now. */
TRITON_EXPORT void triton_cache_touch(const char *root, triton_text entry);
/* Removes the files that the seal of an entry names, and nothing else; an error if it has none. */
TRITON_EXPORT int triton_cache_remove(const char *root, triton_text entry, triton_error **error);

/* Entries as they were when somebody asked. */
typedef struct triton_cache_listing triton_cache_listing;
/* All, or the one of that name; none is no error. */
TRITON_EXPORT triton_cache_listing *triton_cache_list(const char *root, triton_error **error);
TRITON_EXPORT triton_cache_listing *triton_cache_find(const char *root, triton_text entry, triton_error **error);
/* Removes sealed entries that have not been used for longest until at most `limit` bytes of them are left: gives those that it removed, by name alone. */
TRITON_EXPORT triton_cache_listing *triton_cache_prune(const char *root, uint64_t limit, uint64_t *bytes_before,
                                                       uint64_t *bytes_after, triton_error **error);
/* Names are NULL past the last. */
TRITON_EXPORT const char *triton_cache_listing_name(const triton_cache_listing *listing, size_t entry);
TRITON_EXPORT const char *triton_cache_listing_file(const triton_cache_listing *listing, size_t entry, size_t file);
TRITON_EXPORT uint64_t triton_cache_listing_bytes(const triton_cache_listing *listing, size_t entry);
/* Nanoseconds since 1970. */
TRITON_EXPORT int64_t triton_cache_listing_last_used(const triton_cache_listing *listing, size_t entry);
/* Whether a sound seal says that this is an entry; others are never removed. */
TRITON_EXPORT int triton_cache_listing_is_sealed(const triton_cache_listing *listing, size_t entry);
TRITON_EXPORT void triton_cache_listing_free(triton_cache_listing *listing);

/* "500M" -> 500 * 2^20; nonzero if it is no size. */
TRITON_EXPORT int triton_cache_parse_size(triton_text text, uint64_t *bytes);
/* The id of the build that the shared library holding `address` is, empty if it has none; NULL: that of the compiler itself, part of every key. */
TRITON_EXPORT triton_bytes *triton_cache_build_id(const void *address, triton_error **error);
/* A digest of all files below `folder` whose names end in `suffix`, or of one file. */
TRITON_EXPORT triton_bytes *triton_cache_digest_files(const char *folder, const char *suffix, triton_error **error);
/* The builds of programs, and digests of files, that code for a target is made with besides the compiler: part of keys. `linker` is a path of libnvJitLink, to be
 * used where there is no ptxas; NULL: the one that is found. An error if nothing can make code for it. */
TRITON_EXPORT triton_bytes *triton_cache_tools(const char *target, const char *architecture, const char *linker,
                                               triton_error **error);

typedef struct triton_named_file {
  triton_text name, content;
} triton_named_file;
/* The text of a JSON object, closed with the digests of `files` and its own, and signed unless `secret` is empty. */
TRITON_EXPORT triton_bytes *triton_cache_seal(triton_text description, const triton_named_file *files,
                                              size_t file_count, triton_text secret, triton_error **error);
/* Why an entry is not what was stored, or was stored by somebody who does not have the secret; empty if it is sound. */
TRITON_EXPORT triton_bytes *triton_cache_find_damage(triton_text description, const triton_named_file *files,
                                                     size_t file_count, int may_be_missing, triton_text secret,
                                                     triton_error **error);
/* The secret in a file, which must be kept from others. */
TRITON_EXPORT triton_bytes *triton_cache_read_secret(const char *path, triton_error **error);
/* The content of a plain file that is no link; NULL if it is anything else. */
TRITON_EXPORT triton_bytes *triton_cache_read_plain_file(triton_text path);
/* Whether `name` is a name of a file and no path. */
TRITON_EXPORT int triton_cache_is_file_name(triton_text name);
/* Kernels of one key that differ in what they read of the program lie side by side: the hash that the one of this number, from 0 on, is stored under; NULL where
   there are no more. */
TRITON_EXPORT triton_bytes *triton_cache_variant(triton_text hash, unsigned number);

/* A connection to a Redis server. Each call gives an answer or an error within seconds; after an error the next call connects anew. */
typedef struct triton_redis triton_redis;
TRITON_EXPORT int triton_redis_is_available(void); /* whether this build has a client */
TRITON_EXPORT triton_redis *triton_redis_create(const char *host, int port, double timeout_seconds,
                                                triton_error **error);
/* `values` receives one for each key, to be freed, or NULL where there is none. */
TRITON_EXPORT int triton_redis_get(const triton_redis *redis, const triton_text *keys, size_t key_count,
                                   triton_bytes **values, triton_error **error);
TRITON_EXPORT int triton_redis_put(const triton_redis *redis, triton_text key, triton_text value, triton_error **error);
/* Puts a value that goes after so many seconds, unless there is one. */
TRITON_EXPORT int triton_redis_put_first(const triton_redis *redis, triton_text key, triton_text value,
                                         unsigned seconds, triton_error **error);
TRITON_EXPORT triton_redis *triton_redis_retain(const triton_redis *redis);
TRITON_EXPORT void triton_redis_free(triton_redis *redis);

#ifdef __cplusplus
}
#endif
#endif
