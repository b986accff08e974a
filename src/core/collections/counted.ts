/** `1 node`, `2 nodes`. @param more the plural, where it is not `one` with an s */
export const counted = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;
