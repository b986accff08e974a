import { ReadCaller } from '../app/sessions/read-caller.js';
import { made } from './made.js';

export const SESSIONS = [made(ReadCaller)];
