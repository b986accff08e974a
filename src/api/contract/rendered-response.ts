import { serviceErrorOf } from '../../app/errors/service-error-of.js';
import { DEFAULT_PAGE_SIZE, type Page, type PageRequest, type UncountedPage } from '../../contract/page.js';
import type { ClusterOutcome, GroupedPages, Question } from '../../contract/question.js';
import { defined } from '../../core/collections/defined.js';
import { pageResponse } from '../rest/page-query.js';
import { uncountedPageResponse } from '../rest/uncounted-page.js';
import { partErrorResponse } from './part-error-response.js';

type AnyPage = Page<unknown> | UncountedPage<unknown>;

interface ListedResponse {
  readonly page?: AnyPage;
  readonly pages?: GroupedPages<unknown, unknown>;
}

/** The requested part of a list, and its view. */
interface RequestedPart {
  readonly page?: PageRequest;
  /** Items of each of several clusters. */
  readonly perCluster?: number;
  readonly view?: string;
}

/** The result of a use case in its REST form. */
export async function renderedAnswer(
  response: Question['response'],
  answer: unknown,
  part: RequestedPart,
  isCounted: boolean,
): Promise<unknown> {
  if (response.kind === 'object') return answer;
  if (response.kind === 'list') return renderedList(answer as ListedResponse, part, isCounted);
  const { page } = answer as { readonly page: Page<ClusterOutcome<ListedResponse>> };
  const { items, ...end } = pageResponse(page, (one) => one);
  const { perCluster: size = DEFAULT_PAGE_SIZE, view } = part;
  const first = { page: { size, afterName: part.page!.afterName }, ...defined({ view }) };
  const clusters = items.map(async ({ cluster, result: list, error }) => ({
    cluster,
    result: list && (await renderedList(list, first, false)),
    error: error && partErrorResponse(serviceErrorOf(error)),
  }));
  return { items: await Promise.all(clusters), ...end, ...totalOf(page, isCounted) };
}

async function renderedList(
  { page, pages, ...head }: ListedResponse,
  { page: request, view }: RequestedPart,
  isCounted: boolean,
): Promise<object> {
  if (pages === undefined) {
    const { items, ...end } = shapeOf(page!);
    return { ...head, items, ...end, ...totalOf(page!, isCounted) };
  }
  const isGrouped = view === 'groups';
  const made = await (isGrouped ? pages.groups(request!) : pages.items(request!));
  const { items, ...end } = shapeOf(made);
  const lists = { groups: isGrouped ? items : [], items: isGrouped ? [] : items };
  return { ...head, ...lists, ...end, ...totalOf(made, isCounted) };
}

const shapeOf = (page: AnyPage) =>
  'total' in page ? pageResponse(page, (item) => item) : uncountedPageResponse(page, (item) => item);

const totalOf = (page: AnyPage, isCounted: boolean): { readonly totalCount?: number } =>
  isCounted && 'total' in page ? { totalCount: page.total } : {};
