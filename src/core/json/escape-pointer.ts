/** The name of a member as written in a JSON pointer (RFC 6901, section 3): `a/b~c` becomes `a~1b~0c`. */
export const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
