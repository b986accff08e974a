import { connectionErrors, Connections } from '../../app/connections/connections.js';
import * as connections from '../../contract/connections/questions.js';
import { errorsInValid } from './check-errors.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

export const CONNECTION_QUESTIONS: readonly AnyAnswered[] = [
  answeredBy(connections.readConnection, Connections, {
    ask: (connected, request, context) => connected.read(request, context),
  }),
  answeredBy(connections.putConnection, Connections, {
    ask: (connected, request, context) => connected.put(request, context),
    crossFieldErrors: errorsInValid(connectionErrors),
  }),
  answeredBy(connections.deleteConnection, Connections, {
    ask: (connected, request) => connected.delete(request),
  }),
];
