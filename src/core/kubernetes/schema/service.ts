import type { Service } from '../objects/service.js';
import { described, list, object, stringMap } from './containers.js';
import { condition, objectMeta } from './metadata.js';
import { boolean, constant, int32, intOrString, string } from './scalars.js';
import { required } from './schema.js';

/** `v1.ServicePort`. */
const servicePort = described({
  appProtocol: string,
  name: string,
  nodePort: int32,
  port: int32,
  protocol: string,
  targetPort: intOrString,
});

/** `v1.SessionAffinityConfig`. */
const sessionAffinityConfig = described({ clientIP: described({ timeoutSeconds: int32 }) });

/** `v1.ServiceStatus`. */
const serviceStatus = described({
  conditions: list(condition),
  loadBalancer: described({
    ingress: list(
      described({
        hostname: string,
        ip: string,
        ipMode: string,
        ports: list(described({ error: string, port: int32, protocol: string })),
      }),
    ),
  }),
});

/** `v1.ServiceSpec`. */
const serviceSpec = object<NonNullable<Service['spec']>>(
  {
    selector: stringMap,
  },
  {
    allocateLoadBalancerNodePorts: boolean,
    clusterIP: string,
    clusterIPs: list(string),
    externalIPs: list(string),
    externalName: string,
    externalTrafficPolicy: string,
    healthCheckNodePort: int32,
    internalTrafficPolicy: string,
    ipFamilies: list(string),
    ipFamilyPolicy: string,
    loadBalancerClass: string,
    loadBalancerIP: string,
    loadBalancerSourceRanges: list(string),
    ports: list(servicePort),
    publishNotReadyAddresses: boolean,
    sessionAffinity: string,
    sessionAffinityConfig,
    trafficDistribution: string,
    type: string,
  },
);

/** `v1.Service`. */
export const service = object<Service>(
  {
    apiVersion: required(string),
    kind: required(constant('Service')),
    metadata: required(objectMeta),
    spec: serviceSpec,
  },
  {
    status: serviceStatus,
  },
);
