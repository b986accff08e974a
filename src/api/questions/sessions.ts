import { ReadCaller } from '../../app/sessions/read-caller.js';
import { readCaller } from '../../contract/sessions/caller.js';
import { type AnyAnswered, answeredBy } from '../contract/answered-by.js';

export const SESSION_QUESTIONS: readonly AnyAnswered[] = [answeredBy(readCaller, ReadCaller)];
