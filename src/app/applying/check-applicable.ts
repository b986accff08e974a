import { ApiUnreachable } from '../../kube-api/api-client.js';
import { Connections, type OpenConnection, type WriteSubject } from '../connections/connections.js';
import { ServiceError, type ErrorDetail } from '../errors/service-error.js';
import type { RequestContext } from '../request-context.js';

/** Checks that the service can write changes to a cluster for a caller: all three, the caller, the connection and the cluster must allow it. */
export class CheckApplicable {
  constructor(private readonly connections: Connections) {}

  /** @throws {ServiceError} `apply-not-allowed` with everything that is missing; `cluster-not-found` */
  async run(cluster: string, context: Asking, subject: WriteSubject = 'nodes'): Promise<OpenConnection> {
    const { missing, connection } = await this.look(cluster, context, subject);
    if (missing.length === 0 && connection !== undefined) return connection;
    throw new ServiceError(
      'apply-not-allowed',
      `Changes of cluster ${cluster} cannot be applied: ${missing.map(({ message }) => message).join('; ')}.`,
      { details: missing },
    );
  }

  /** Everything that is missing; empty if changes of the subject can be applied. */
  async missing(cluster: string, context: Asking, subject: WriteSubject): Promise<readonly ErrorDetail[]> {
    return (await this.look(cluster, context, subject)).missing;
  }

  private async look(cluster: string, { access, caller, signal }: Asking, subject: WriteSubject): Promise<Looked> {
    const missing: ErrorDetail[] = [];
    const lacks = (code: string, message: string): void => {
      missing.push({ code, message });
    };
    if (!access.may('apply', cluster)) {
      lacks('permission-missing', `${caller.name} needs the permission apply on cluster ${cluster}`);
    }
    const connection = await this.open(cluster, lacks);
    if (connection !== undefined) {
      if (!connection.writes) {
        lacks('writes-not-allowed', `the connection of cluster ${cluster} is read only: put it again with writes`);
      }
      await this.checkRules(connection, subject, signal, lacks);
    }
    return { missing, connection };
  }

  private async open(cluster: string, lacks: Lacks): Promise<OpenConnection | undefined> {
    try {
      return await this.connections.open(cluster);
    } catch (error) {
      if (!(error instanceof ServiceError) || !CONNECTION_ERRORS.has(error.code)) throw error;
      lacks(error.code, withoutStop(error.message));
      return undefined;
    }
  }

  private async checkRules(
    connection: OpenConnection,
    subject: WriteSubject,
    signal: AbortSignal,
    lacks: Lacks,
  ): Promise<void> {
    try {
      for (const { verb, resource, rule } of await this.connections.lackingForWrites(connection, subject, signal)) {
        lacks(
          'rule-missing',
          `the user of the connection may not ${verb} ${resource}: its ClusterRole lacks ${JSON.stringify(rule)}`,
        );
      }
    } catch (error) {
      if (!(error instanceof ApiUnreachable)) throw error;
      lacks('api-server-unreachable', `the API server does not answer: ${error.message}`);
    }
  }
}

type Asking = Pick<RequestContext, 'access' | 'caller' | 'signal'>;

interface Looked {
  readonly missing: readonly ErrorDetail[];
  readonly connection: OpenConnection | undefined;
}

type Lacks = (code: string, message: string) => void;

const CONNECTION_ERRORS: ReadonlySet<string> = new Set(['connection-not-found', 'connections-not-configured']);

const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '');
