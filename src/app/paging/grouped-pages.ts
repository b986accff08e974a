import type { Page, PageRequest } from '../../contract/page.js';
import type { GroupedPages } from '../../contract/question.js';
import type { AlikeGroup } from '../../core/collections/alike-groups.js';
import { runSteps } from '../states/run-steps.js';
import type { TimeSlices } from '../states/time-slices.js';
import { mapPageInSlices, pageByPosition, stepMapPage } from './page-by-position.js';
import { checkTokenRevision, type ListIdentity } from './page-token.js';

/** A page of groups contains at most this many names, unless its first group alone has more. */
const MAX_NAMES = 50_000;

/** The identity of a list in one of its views; tokens of one view are not valid for another. */
export const listInView = (list: ListIdentity, view: string): ListIdentity => [view, ...list];

/** Both views of a list. */
interface Views<Item, Shown, ShownGroup> {
  /** From `listInView`, for either view. */
  readonly list: ListIdentity;
  /** Name of the view of single items. */
  readonly view: string;
  readonly revision: number;
  readonly items: readonly Item[];
  readonly renderItem: (item: Item) => Shown;
  /** In list order. */
  readonly groups: () => Promise<readonly AlikeGroup[]>;
  readonly renderGroup: (group: AlikeGroup) => Generator<undefined, ShownGroup>;
  readonly slices: TimeSlices;
}

/** The pages of a grouped list; each view is computed only if it is requested. */
export function groupedPages<Item, Shown, ShownGroup>({
  list: given,
  view,
  revision,
  slices,
  ...views
}: Views<Item, Shown, ShownGroup>): GroupedPages<Shown, ShownGroup> {
  const [, ...list] = given;
  const listOf = (wanted: string, request: PageRequest): ListIdentity => {
    const identity = listInView(list, wanted);
    checkTokenRevision(identity, request, revision);
    return identity;
  };
  return {
    items: async (request) =>
      mapPageInSlices(pageByPosition(views.items, request, listOf(view, request), revision), views.renderItem, slices),
    groups: async (request) => {
      const identity = listOf('groups', request);
      const all = pageByPosition(await views.groups(), request, identity, revision);
      const page = endingEarly(all, ({ members }) => members.length);
      return runSteps(stepMapPage(page, views.renderGroup), slices);
    },
  };
}

/** A page of groups that ends before it has too many names. @param namesOf the number of names in a group */
export function endingEarly<Group>(page: Page<Group>, namesOf: (group: Group) => number): Page<Group> {
  let names = 0;
  let count = 0;
  for (const { item } of page.items) {
    names += namesOf(item);
    if (count > 0 && names > MAX_NAMES) break;
    count += 1;
  }
  const left = page.items.length - count;
  if (left === 0) return page;
  return { ...page, items: page.items.slice(0, count), hasMore: true, remaining: page.remaining + left };
}
