import type { Asked, Question } from '../contract/question.js';
import type { ReadAt } from './reads/read-at.js';

/** The parameter of a use case: the members of the request, and the selected revision if the question reads one. */
export type RequestOf<Of extends Question> = Asked<Of> &
  (Of['readsRevision'] extends true ? { readonly readAt: ReadAt } : unknown);
