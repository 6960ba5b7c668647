f'a{x!r:>{w}}b{{' "c" rf'''{f'{y = }'}
''' t'{z:{q}}'
u'\N{BULLET}\x41\u1234\777' b'\0'
