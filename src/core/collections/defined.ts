/** A copy without the undefined members. */
export function defined<Members extends object>(
  members: Members,
): { [Key in keyof Members]?: Exclude<Members[Key], undefined> } {
  const kept: { [Key in keyof Members]?: Members[Key] } = {};
  for (const key of Object.keys(members) as (keyof Members)[]) {
    if (members[key] !== undefined) kept[key] = members[key];
  }
  return kept as { [Key in keyof Members]?: Exclude<Members[Key], undefined> };
}
