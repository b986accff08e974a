import { csvLine, type Cell } from '../../app/csv-line.js';
import type { RequestContext } from '../../app/request-context.js';
import { exampleOf } from '../../contract/example-of.js';
import { MAX_PAGE_SIZE, type Page, type PageRequest } from '../../contract/page.js';
import type { GroupedPages, ListType, Question } from '../../contract/question.js';
import { object, type Member, type Members, type MemberType, type ObjectType } from '../../contract/schema.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import { Slices } from '../../event-loop/slices.js';
import { stepMaskedFor } from '../masking/install-masking.js';
import { askUseCase, type AnyAnswered, type OtherFormat } from './answered-by.js';
import { pickFields, type FieldSelection } from './sparse-fields.js';

type Row = Readonly<Record<string, unknown>>;

interface Column {
  /** Path to the member; the names, joined with dots, are the column name. */
  readonly path: readonly string[];
  readonly member: Member;
}

/**
 * The columns of an item: its members in order, with nested objects flattened. Each item of the list `each` becomes its
 * own row.
 */
function columnsOf(members: Members, each: string | undefined, above: readonly string[] = []): readonly Column[] {
  return Object.entries(members).flatMap(([name, member]) => {
    const path = [...above, name];
    const { type, list } = member;
    const isObject = typeof type === 'object' && type.kind === 'object';
    return isObject && (list !== true || (above.length === 0 && name === each))
      ? columnsOf(type.members, undefined, path)
      : [{ path, member }];
  });
}

function isSelected({ path }: Column, selection: FieldSelection | undefined): boolean {
  let at: FieldSelection | 'all' | undefined = selection ?? 'all';
  for (const name of path) {
    if (at === 'all' || at === undefined) break;
    at = at.get(name);
  }
  return at !== undefined;
}

/** One row for the item, or one for each item of `each`. */
function rowsOf(item: Row, each: string | undefined): readonly Row[] {
  if (each === undefined) return [item];
  const inner = item[each] as readonly Row[] | undefined;
  if (inner === undefined || inner.length === 0) return [{ ...item, [each]: null }];
  return inner.map((one) => ({ ...item, [each]: one }));
}

function cellOf(row: Row, { path, member }: Column): Cell {
  let value: unknown = row;
  for (const name of path) value = (value as Row | null | undefined)?.[name];
  if (value === null || value === undefined) return null;
  return Array.isArray(value) ? value.map((one) => textOf(one, member.type)).join('; ') : plainCell(value, member.type);
}

function plainCell(value: unknown, type: MemberType): Cell {
  return typeof value === 'number' || value instanceof Date ? value : textOf(value, type);
}

/** Labels as kubectl prints them; objects with a text form as that text; other objects as JSON. */
function textOf(value: unknown, type: MemberType): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (type === 'labels') {
    return Object.entries(value)
      .map(([name, text]) => `${name}=${String(text)}`)
      .join(',');
  }
  const { text } = value as { readonly text?: unknown };
  return typeof text === 'string' ? text : stringifyJson(value);
}

interface ListedResponse {
  readonly page?: Page<unknown>;
  readonly pages?: GroupedPages<unknown, unknown>;
}

interface PagedRequest {
  readonly page: PageRequest;
}

/** The CSV format of a list, if its question declares one: all rows, or one page if `limit` or `continue` is given. */
export function csvFormat(answered: AnyAnswered): OtherFormat<Question, object> {
  const question = answered.question as Question;
  const { item } = question.response as ListType;
  const { each } = question.csv ?? {};
  const all = columnsOf(item.members, each);
  const itemsType = object('CsvItems', '', { items: { type: item, list: true, description: '' } });
  const linesOf = (item: unknown, columns: readonly Column[]): string =>
    rowsOf(item as Row, each)
      .map((row) => csvLine(columns.map((column) => cellOf(row, column))))
      .join('');
  const header = (columns: readonly Column[]): string => csvLine(columns.map(({ path }) => path.join('.')));
  return {
    mediaType: 'text/csv',
    mediaTypeParameters: 'charset=utf-8; header=present',
    example: header(all) + linesOf(exampleOf(item), all),
    fileName: (request) => {
      const { cluster } = request as { readonly cluster?: string };
      return `${[question.id.split('.')[0], cluster].filter((part) => part !== undefined).join('-')}.csv`;
    },
    write: async (useCase, request, context, { selection, isWhole = true, continueWith }) => {
      const columns = all.filter((column) => isSelected(column, selection));
      const given = request as unknown as PagedRequest;
      const ask = async (page: PageRequest): Promise<Page<unknown>> => {
        const { answer } = await askUseCase(answered, useCase, { ...given, page }, context);
        const { page: only, pages } = answer as ListedResponse;
        return only ?? pages!.items(page);
      };
      const size = isWhole ? MAX_PAGE_SIZE : given.page.size;
      const first = await ask({ ...given.page, size });
      if (!isWhole && first.hasMore) continueWith?.(first.items.at(-1)!.token);
      const slices = new Slices();
      const lines = async (page: Page<unknown>): Promise<string> => {
        const items = await slices.run(stepShownItems(page, itemsType, context, selection));
        return (await slices.map(items, (one) => linesOf(one, columns))).join('');
      };
      const next = isWhole ? (after: string) => ask({ ...given.page, size, after }) : undefined;
      return inPages(header(columns), first, lines, next);
    },
  };
}

/** @param next the page after a token; absent for a single page */
async function* inPages(
  header: string,
  first: Page<unknown>,
  lines: (page: Page<unknown>) => Promise<string>,
  next: ((after: string) => Promise<Page<unknown>>) | undefined,
): AsyncGenerator<string, void> {
  yield header;
  let page = first;
  yield await lines(page);
  while (next !== undefined && page.hasMore) {
    page = await next(page.items.at(-1)!.token);
    yield await lines(page);
  }
}

function* stepShownItems(
  page: Page<unknown>,
  itemsType: ObjectType,
  context: RequestContext,
  selection: FieldSelection | undefined,
): Generator<undefined, readonly unknown[]> {
  const items = page.items.map(({ item }) => item);
  const masked = (yield* stepMaskedFor(context, { items }, itemsType)) as { readonly items: unknown[] };
  return selection === undefined ? masked.items : masked.items.map((item) => pickFields(item, selection));
}
