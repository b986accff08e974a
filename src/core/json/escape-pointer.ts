/** A member's name as a JSON pointer writes it (RFC 6901, section 3): `a/b~c` is `a~1b~0c`. */
export const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
