/** Text without NUL and lone surrogates, which Postgres cannot store. */
export const storableText = (text: string): string => text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\ufffd');
