export { type Explanation, explainAllocation, explainBody, explainPath, type ShardCopy } from './allocation.ts';
export { type AllocationSettings, readAllocationSettings } from './allocation-settings.ts';
export { type CatRow, type CatTable, catTable, readCat } from './cat.ts';
export { type Address, type CallReport, type Clock, type Credentials, type Encoding, EngineClient } from './client.ts';
export { readCoordination } from './coordination.ts';
export { type Disk, readDisks } from './disks.ts';
export { type Answer, EngineError, type EngineErrorCode } from './errors.ts';
export { type Assessment, assessHealth, type Health, healthPath, readHealth, readSettledHealth } from './health.ts';
export { type IndexSettings, readIndexSettings } from './index-settings.ts';
export { type EngineNode, readNodes } from './nodes.ts';
export {
  parseRouting,
  type Routing,
  readRouting,
  type ShardPlace,
  type ShardRow,
  type ShardState,
  shardPlaces,
  shardRows,
  shardStates,
} from './routing.ts';
export { requestRouting } from './routing-request.ts';
export { readRunningSnapshots } from './running-snapshots.ts';
export { readShardSizes } from './shard-sizes.ts';
export { deleteShutdown, putShutdown, readShutdowns, type Shutdown, type ShutdownStatus } from './shutdown.ts';
