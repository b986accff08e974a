import { ListDevices } from '../../app/devices/list-devices.js';
import * as devices from '../../contract/devices/questions.js';
import { answeredBy, type AnyAnswered } from '../contract/answered-by.js';

export const DEVICE_QUESTIONS: readonly AnyAnswered[] = [answeredBy(devices.listDevices, ListDevices)];
