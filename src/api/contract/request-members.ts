import type { Question } from '../../contract/question.js';
import { REVISION_MEMBERS } from '../../contract/common/revision.js';
import type { Members } from '../../contract/schema.js';

const HEADER_MEMBERS = { 'If-Match': 'ifMatch', 'Idempotency-Key': 'idempotencyKey' } as const;

/** A question's conditional headers as members of its request: REST takes headers, GraphQL takes arguments. */
export function headerMembers({
  headers = {},
}: Question): { readonly header: string; readonly name: string; readonly description: string }[] {
  return Object.entries(headers).map(([header, description]) => ({
    header,
    name: HEADER_MEMBERS[header as keyof typeof HEADER_MEMBERS],
    description,
  }));
}

/** The variables of a question's path, except `cluster`, as GraphQL arguments. */
export function variableMembers({ variables = {} }: Question): Members {
  return Object.fromEntries(
    Object.entries(variables).map(([name, { description, type = 'string' as const }]) => [name, { type, description }]),
  );
}

/** The members that select a revision. Several clusters have no revision number in common. */
export function revisionMembers({ clusters = 'one' }: Question): Members {
  if (clusters === 'one') return REVISION_MEMBERS;
  const { at, maxAge, rulesVersion, intents } = REVISION_MEMBERS;
  return { at, maxAge, rulesVersion, intents };
}
