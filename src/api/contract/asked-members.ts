import type { Question } from '../../contract/question.js';
import { REVISION_MEMBERS } from '../../contract/common/revision.js';
import type { Members } from '../../contract/schema.js';

const HEADER_MEMBERS = { 'If-Match': 'ifMatch', 'Idempotency-Key': 'idempotencyKey' } as const;

/** The conditional headers of a question as members of its request: what REST has in headers, GraphQL has in arguments. */
export function headerMembers({
  headers = {},
}: Question): { readonly header: string; readonly name: string; readonly description: string }[] {
  return Object.entries(headers).map(([header, description]) => ({
    header,
    name: HEADER_MEMBERS[header as keyof typeof HEADER_MEMBERS],
    description,
  }));
}

/** The variables of a question's path, `cluster` apart, as arguments of GraphQL. */
export function variableMembers({ variables = {} }: Question): Members {
  return Object.fromEntries(
    Object.entries(variables).map(([name, { description, type = 'string' as const }]) => [name, { type, description }]),
  );
}

/** Which revision a question reads: several clusters have no number of one in common. */
export function revisionMembers({ clusters = 'one' }: Question): Members {
  if (clusters === 'one') return REVISION_MEMBERS;
  const { at, maxAge, intents } = REVISION_MEMBERS;
  return { at, maxAge, intents };
}
