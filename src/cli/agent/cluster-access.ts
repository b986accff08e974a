import type { AddressGuard } from '../../kube-api/address-guard.js';
import type { ApiServer } from '../../kube-api/api-server.js';
import { inClusterServer } from '../../kube-api/in-cluster.js';
import { KubeconfigError, readLocalKubeconfig } from '../../kube-api/local-kubeconfig.js';
import type { StreamedAnswer, StreamingClient } from '../../kube-api/reflector/call.js';
import type { Clock } from '../../kube-api/reflector/clock.js';
import { StreamClient } from '../../kube-api/stream-client.js';

/** How long before they expire credentials are read anew, and how often after a refusal, in milliseconds. */
const BEFORE_EXPIRY = 60_000;
const AFTER_REFUSAL = 10_000;

interface GivenAccess {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}

/** Reaches the API server with credentials that are read again when they expire or are refused. */
export class ClusterAccess implements StreamingClient {
  private client: StreamClient | undefined;
  private apiServer: ApiServer | undefined;
  private readAt = 0;
  private expires: Date | undefined;
  private reading: Promise<ApiServer> | undefined;

  constructor(
    private readonly given: GivenAccess,
    private readonly env: Readonly<Record<string, string | undefined>>,
    private readonly guard: AddressGuard,
    private readonly clock: Clock,
  ) {}

  /** @throws {KubeconfigError} */
  async current(): Promise<ApiServer> {
    const isExpired = this.expires !== undefined && this.expires.getTime() - BEFORE_EXPIRY < this.clock.now();
    if (this.apiServer !== undefined && !isExpired) return this.apiServer;
    return (this.reading ??= this.read().finally(() => {
      this.reading = undefined;
    }));
  }

  async get(path: string, signal: AbortSignal): Promise<StreamedAnswer> {
    await this.current();
    const answer = await this.client!.get(path, signal);
    if (answer.status === 401 && this.clock.now() - this.readAt > AFTER_REFUSAL) this.apiServer = undefined;
    return answer;
  }

  close(): void {
    this.client?.close();
  }

  private async read(): Promise<ApiServer> {
    const { apiServer, expires } = await this.find();
    this.readAt = this.clock.now();
    this.expires = expires;
    this.apiServer = apiServer;
    const former = this.client;
    this.client = new StreamClient(this.guard, apiServer);
    former?.close();
    return apiServer;
  }

  private async find(): Promise<{ readonly apiServer: ApiServer; readonly expires: Date | undefined }> {
    const { kubeconfig: file, context } = this.given;
    const inCluster = file === undefined && context === undefined ? inClusterServer(this.env) : undefined;
    if (inCluster !== undefined) return { apiServer: inCluster, expires: undefined };
    if (file === undefined && context === undefined) {
      throw new KubeconfigError('not in a pod: give --kubeconfig or --context');
    }
    return readLocalKubeconfig({ file, context }, { env: this.env, isInteractive: false });
  }
}
