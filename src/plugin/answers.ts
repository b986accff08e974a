import type { AnswerTo, Asked, GroupsType, ListType, Question } from '../contract/question.js';
import type { ObjectType, Response } from '../contract/schema.js';

/** The parameters of a question, without the cluster and what only the transports need. */
export type Asking<Of extends Question> = Omit<
  Asked<Of>,
  'cluster' | 'page' | 'view' | 'root' | 'ifMatch' | 'idempotencyKey'
> & { readonly view?: string };

/** An answer as REST has it, whole: lists are not in pages. */
export type Answer<Of extends Question> =
  Of['response'] extends ListType<infer Item, infer Head>
    ? Response<ObjectType<Head>> & { readonly items: readonly Response<Item>[] } & (Of['response'] extends {
          readonly groups: GroupsType<infer Group>;
        }
          ? { readonly groups: readonly Response<Group>[] }
          : unknown)
    : AnswerTo<Of>;

/** Who answers: the use cases of the service on what kubectl reads, or a service. */
export interface Answers {
  /** The cluster, for people. */
  readonly cluster: string;
  /** What could not be read and is therefore not known, in words. */
  readonly unread: readonly string[];
  /** @throws {CommandFailed} */
  ask<Of extends Question>(question: Of, asking: Asking<Of>): Promise<Answer<Of>>;
}
