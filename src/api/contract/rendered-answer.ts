import { serviceErrorOf } from '../../app/errors/service-error-of.js';
import type { Page, PageRequest } from '../../contract/page.js';
import type { ClusterAnswer, GroupedPages, ListType, Question } from '../../contract/question.js';
import { pageShape } from '../rest/page-query.js';
import { partErrorShape } from '../shapes/part-error-shape.js';

interface ListedAnswer {
  readonly page?: Page<unknown>;
  readonly pages?: GroupedPages<unknown, unknown>;
}

/** Which part of a list is asked for, and in which view. */
interface AskedPart {
  readonly page?: PageRequest;
  readonly view?: string;
}

/** What a use case answers as REST writes it. */
export async function renderedAnswer(
  response: Question['response'],
  answer: unknown,
  asked: AskedPart,
): Promise<unknown> {
  if (response.kind === 'object') return answer;
  if (response.kind === 'list') return renderedList(response, answer as ListedAnswer, asked);
  const { page } = answer as { readonly page: Page<ClusterAnswer<ListedAnswer>> };
  const { items, ...end } = pageShape(page, (one) => one);
  const clusters = items.map(async ({ cluster, answer: list, error }) => ({
    cluster,
    answer: list && (await renderedList(response.each, list, asked)),
    error: error && partErrorShape(serviceErrorOf(error)),
  }));
  return { items: await Promise.all(clusters), ...end };
}

async function renderedList(
  { itemsName = 'items', groups }: ListType,
  { page, pages, ...head }: ListedAnswer,
  { page: request, view }: AskedPart,
): Promise<object> {
  if (groups === undefined || pages === undefined) {
    const { items, ...end } = pageShape(page!, (item) => item);
    return { ...head, [itemsName]: items, ...end };
  }
  const isGrouped = view === 'groups';
  const made = await (isGrouped ? pages.groups(request!) : pages.items(request!));
  const { items, ...end } = pageShape(made, (item) => item);
  return { ...head, groups: isGrouped ? items : [], [itemsName]: isGrouped ? [] : items, ...end };
}
