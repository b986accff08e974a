import type { ErrorCode } from '../../contract/error-code.js';
import type { ObjectClass } from '../contract/field-type.js';

export interface OperationResponse {
  readonly status: number;
  readonly description: string;
  /** Absent if the response has no body. */
  readonly schema?: ObjectClass;
  readonly example?: unknown;
  /** Media type, if it is not JSON. */
  readonly mediaType?: string;
}

/** Documentation of a REST operation, also used to validate its query parameters. */
export interface OperationInfo {
  readonly summary: string;
  readonly description: string;
  /** Class of the query parameters; absent if the operation takes none. */
  readonly query?: ObjectClass;
  /** The handler itself reads the query parameters, together with the body. */
  readonly readsRequest?: boolean;
  /** Values of path and query parameters for an example that can be run. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  /** Request headers that the operation reads; all are optional. */
  readonly headers?: readonly { readonly name: string; readonly description: string }[];
  readonly body?: {
    /** Absent for a body whose format the service does not define. */
    readonly schema?: ObjectClass;
    readonly description: string;
    readonly example: unknown;
    readonly required?: boolean;
    /** The body may also be Kubernetes manifests. */
    readonly takesManifests?: boolean;
    /** Default: JSON and YAML. */
    readonly mediaTypes?: readonly string[];
  };
  readonly answers: readonly OperationResponse[];
  /** Response headers besides those of every operation. */
  readonly responseHeaders?: readonly ('Location' | 'Content-Disposition' | 'Warning')[];
  /** The errors of the use case; those that any operation can return are added. */
  readonly errors: readonly ErrorCode[];
}

const operations = new WeakMap<object, OperationInfo>();

/** Documents a controller method. */
export function Operation(info: OperationInfo): MethodDecorator {
  return (_prototype, _key, descriptor) => {
    operations.set(descriptor.value as object, info);
  };
}

export function operationOf(handler: object): OperationInfo | undefined {
  return operations.get(handler);
}
