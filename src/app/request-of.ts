import type { Asked, Question } from '../contract/question.js';
import type { ReadAt } from './reads/read-at.js';

/** What a use case is asked: the members of the request, and the revision where the question reads one. */
export type RequestOf<Of extends Question> = Asked<Of> &
  (Of['readsRevision'] extends true ? { readonly readAt: ReadAt } : unknown);
