export {
  type Explanation,
  explainAllocation,
  explainBody,
  explainPath,
  type ShardCopy,
} from './allocation.ts';
export { type CatRow, type CatTable, catTable, readCat } from './cat.ts';
export { type Address, type CallReport, type Clock, type Credentials, type Encoding, EngineClient } from './client.ts';
export { type Answer, EngineError, type EngineErrorCode } from './errors.ts';
export { type Assessment, assessHealth, type Health, healthPath, readHealth } from './health.ts';
export { type Routing, readRouting, type ShardRow, type ShardState, shardRows, shardStates } from './routing.ts';
