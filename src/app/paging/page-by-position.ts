import type { UncountedPage, Page, PageRequest } from '../../contract/page.js';
import { mapInSlices } from '../states/map-in-slices.js';
import type { TimeSlices } from '../states/time-slices.js';
import { pageOf } from './page.js';
import { PageItem } from './page-item.js';
import type { ListIdentity } from './page-token.js';

/**
 * Cuts a page out of a list that is based on one revision and has its own order, such as most frequent first. The key
 * is the position in the list.
 */
export function pageByPosition<Item>(
  items: readonly Item[],
  request: PageRequest,
  list: ListIdentity,
  revision: number,
): Page<Item> {
  const positions = items.map((_, position) => position);
  const page = pageOf(positions, (position) => String(position).padStart(10, '0'), request, list, revision);
  return mapPage(page, (position) => items[position]!);
}

/** Renders the items of a page in time slices. */
export async function mapPageInSlices<Item, Rendered>(
  page: Page<Item>,
  render: (item: Item) => Rendered,
  slices: TimeSlices,
): Promise<Page<Rendered>>;
export async function mapPageInSlices<Item, Rendered>(
  page: UncountedPage<Item>,
  render: (item: Item) => Rendered,
  slices: TimeSlices,
): Promise<UncountedPage<Rendered>>;
export async function mapPageInSlices<Item, Rendered>(
  page: UncountedPage<Item>,
  render: (item: Item) => Rendered,
  slices: TimeSlices,
): Promise<UncountedPage<Rendered>> {
  return withItems(page, await mapInSlices(page.items, slices, ({ item }) => render(item)));
}

/** Renders the items of a page, each in steps. */
export function* stepMapPage<Item, Rendered>(
  page: Page<Item>,
  render: (item: Item) => Generator<undefined, Rendered>,
): Generator<undefined, Page<Rendered>> {
  const rendered: Rendered[] = [];
  for (const { item } of page.items) rendered.push(yield* render(item));
  return withItems(page, rendered);
}

function withItems<Rendered>(page: Page<unknown>, rendered: readonly Rendered[]): Page<Rendered>;
function withItems<Rendered>(page: UncountedPage<unknown>, rendered: readonly Rendered[]): UncountedPage<Rendered>;
function withItems<Rendered>(page: UncountedPage<unknown>, rendered: readonly Rendered[]): UncountedPage<Rendered> {
  let next = 0;
  return mapPage(page, () => rendered[next++]!);
}

/** Renders the items of a page. */
export function mapPage<Item, Rendered>(page: Page<Item>, render: (item: Item) => Rendered): Page<Rendered>;
export function mapPage<Item, Rendered>(
  page: UncountedPage<Item>,
  render: (item: Item) => Rendered,
): UncountedPage<Rendered>;
export function mapPage<Item, Rendered>(
  page: UncountedPage<Item>,
  render: (item: Item) => Rendered,
): UncountedPage<Rendered> {
  return { ...page, items: page.items.map((entry) => new PageItem(render(entry.item), entry, tokenOf)) };
}

const tokenOf = ({ token }: { readonly token: string }): string => token;
