/** A list with each item changed: itself if none is, so that what is the same is found to be without a look into it. */
export function eachChanged<Item>(list: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  let changed: Item[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index]!;
    const after = change(item);
    if (after !== item) changed ??= list.slice(0, index);
    changed?.push(after);
  }
  return changed ?? list;
}
