/** What identifies a device in a cluster. */
export interface DeviceId {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

/** As upstream writes it: `gpu.example.com/node-a/gpu-0`. Names contain no slash, except those of pools, whose driver comes first. */
export const deviceIdText = ({ driver, pool, device }: DeviceId): string => `${driver}/${pool}/${device}`;

export const poolIdText = ({ driver, pool }: Pick<DeviceId, 'driver' | 'pool'>): string => `${driver}/${pool}`;
