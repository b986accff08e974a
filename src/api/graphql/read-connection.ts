import { ArgsType, Field, ObjectType } from '@nestjs/graphql';
import type { Page, PageRequest } from '../../contract/page.js';
import type { Intents, ReadAt } from '../../app/reads/read-at.js';
import { defined } from '../../core/collections/defined.js';
import { AT, INTENTS, MAX_AGE, readAtOf, REVISION } from '../rest/read-at-query.js';
import { BasisShape } from '../shapes/basis-shape.js';
import type { Plain } from '../shapes/plain.js';
import { Given } from '../shapes/property.js';
import { SCENARIO, type ScenarioBody } from '../shapes/scenario-body.js';
import { connection, ConnectionArguments, connectionOf, pageOfConnection, type Connection } from './connection.js';

/** Which state a field reads. */
@ArgsType()
export class ReadArguments {
  @Given(REVISION)
  revision?: number;

  @Given(AT)
  at?: string;

  @Given(MAX_AGE)
  maxAge?: string;

  @Given(INTENTS)
  intents?: Intents;

  @Given(SCENARIO)
  scenario?: ScenarioBody;
}

/** The arguments of every connection that rests on a revision. */
@ArgsType()
export class ReadConnectionArguments extends ConnectionArguments {
  @Given(REVISION)
  revision?: number;

  @Given(AT)
  at?: string;

  @Given(MAX_AGE)
  maxAge?: string;

  @Given(INTENTS)
  intents?: Intents;

  @Given(SCENARIO)
  scenario?: ScenarioBody;
}

export interface ReadConnection<Node> extends Connection<Node> {
  basis: Plain<BasisShape>;
}

/** A connection that says what it rests on; to be extended as `connectionOf` is. */
export function readConnectionOf<Node extends object>(
  node: new () => Node,
  name: string,
): abstract new () => ReadConnection<Node> {
  @ObjectType({ isAbstract: true })
  abstract class ReadConnectionOfNode extends connectionOf(node, name) {
    @Field(() => BasisShape, { description: 'What the answer rests on.' })
    basis!: Plain<BasisShape>;
  }
  return ReadConnectionOfNode;
}

/** Where an object was read, for what is asked of it further down in the query. */
export interface Origin {
  readonly cluster: string;
  /** Leads to the same state. */
  readonly readAt: ReadAt;
  /** Whether that state was asked for by its revision or time. */
  readonly isPinned?: boolean;
}

export type WithOrigin<Shape> = Shape & { readonly origin: Origin };

/** @param asked which state was asked for */
export function originOf(
  { cluster, revision }: { readonly cluster: string; readonly revision?: number },
  { scenario, intents, revision: asked, at }: ReadAt,
): Origin {
  return {
    cluster,
    readAt: defined({ revision, scenario, intents }),
    isPinned: asked !== undefined || at !== undefined,
  };
}

/** The same object, with where it was read. */
export function withOrigin<View extends object>(
  view: View,
  basis: Pick<Plain<BasisShape>, 'cluster' | 'revision'>,
  asked: ReadAt,
): WithOrigin<View> {
  return { ...view, origin: originOf(basis, asked) };
}

/** @param readAt what was asked for, where more is asked of the objects further down */
export function readConnection<View extends object>(
  { basis, page }: { readonly basis: Plain<BasisShape>; readonly page: Page<View> },
  args: Pick<ConnectionArguments, 'after'>,
  readAt: ReadAt = {},
): ReadConnection<WithOrigin<View>> {
  return { ...connection(page, args, (view) => withOrigin(view, basis, readAt)), basis };
}

export function readRequest(
  cluster: string,
  args: ReadConnectionArguments,
): { readonly cluster: string; readonly readAt: ReadAt; readonly page: PageRequest } {
  return { cluster, readAt: readAtOf(args), page: pageOfConnection(args) };
}
