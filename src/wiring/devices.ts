import { ListDevices } from '../app/devices/list-devices.js';
import { ReadState } from '../app/reads/read-state.js';
import { made } from './made.js';

export const DEVICES = [made(ListDevices, ReadState)];
