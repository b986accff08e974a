import { defined } from '../../core/collections/defined.js';
import { AFTER, FIRST } from '../../contract/common/page.js';
import { ArgsType, Field, Int, ObjectType } from '@nestjs/graphql';
import { DEFAULT_PAGE_SIZE, type Page, type PageRequest, type UncountedPage } from '../../contract/page.js';
import type { Plain } from '../contract/plain.js';
import { RequestField, ResponseField } from '../contract/field-decorators.js';

export { AFTER, FIRST };

/** The arguments of every connection; connections with filters extend it. */
@ArgsType()
export class ConnectionArguments {
  @RequestField(FIRST)
  first?: number;

  @RequestField(AFTER)
  after?: string;
}

export function pageOfConnection({ first, after }: Plain<ConnectionArguments>): PageRequest {
  return { size: first ?? DEFAULT_PAGE_SIZE, afterName: 'after', ...defined({ after }) };
}

@ObjectType({ description: 'Position of a page in a connection. Pages go forward only.' })
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether there are more items after this page.' })
  hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Whether this page was requested with `after`.' })
  hasPreviousPage!: boolean;

  @ResponseField({
    type: 'identifier',
    optional: true,
    description: 'Cursor of the first edge; null for an empty page.',
  })
  startCursor!: string | null;

  @ResponseField({
    type: 'identifier',
    optional: true,
    description: 'Cursor of the last edge, for `after`; null for an empty page.',
  })
  endCursor!: string | null;
}

export interface UncountedConnection<Node> {
  edges: { node: Node; cursor: string }[];
  nodes: Node[];
  pageInfo: Plain<PageInfo>;
}

export interface Connection<Node> extends UncountedConnection<Node> {
  totalCount: number;
}

type NodeClass<Node> = new () => Node;
type ConnectionClass<Of> = abstract new () => Of;

/** Creates the connection class of a type without a total count, for a class to extend. */
export function uncountedConnectionOf<Node extends object>(
  node: NodeClass<Node>,
  name: string,
): ConnectionClass<UncountedConnection<Node>> {
  @ObjectType(`${name}Edge`, { description: 'An item of a list, with its cursor.' })
  class Edge {
    @Field(() => node, { description: 'The item.' })
    node!: Node;

    @ResponseField({ type: 'identifier', description: 'Opaque cursor for `after`.' })
    cursor!: string;
  }

  @ObjectType({ isAbstract: true })
  abstract class ConnectionOfNode implements UncountedConnection<Node> {
    @Field(() => [Edge], { description: 'The items of this page, with their cursors.' })
    edges!: Edge[];

    @Field(() => [node], { description: 'The items of this page without their cursors.' })
    nodes!: Node[];

    @Field(() => PageInfo, { description: 'Position of this page in the list.' })
    pageInfo!: PageInfo;
  }
  return ConnectionOfNode;
}

/**
 * Creates the Relay connection of a type, for a class to extend:
 * `@ObjectType() class ClusterConnection extends connectionOf(ClusterResponse, 'Cluster') {}`.
 */
export function connectionOf<Node extends object>(
  node: NodeClass<Node>,
  name: string,
): ConnectionClass<Connection<Node>> {
  @ObjectType({ isAbstract: true })
  abstract class CountedConnection extends uncountedConnectionOf(node, name) implements Connection<Node> {
    @Field(() => Int, { description: 'Total number of items on all pages.' })
    totalCount!: number;
  }
  return CountedConnection;
}

export function uncountedConnection<Item, Node>(
  page: UncountedPage<Item>,
  { after }: Pick<ConnectionArguments, 'after'>,
  render: (item: Item) => Node,
): UncountedConnection<Node> {
  const edges = page.items.map(({ item, token }) => ({ node: render(item), cursor: token }));
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage: page.hasMore,
      hasPreviousPage: after !== undefined,
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

export function connection<Item, Node>(
  page: Page<Item>,
  args: Pick<ConnectionArguments, 'after'>,
  render: (item: Item) => Node,
): Connection<Node> {
  return { ...uncountedConnection(page, args, render), totalCount: page.total };
}
