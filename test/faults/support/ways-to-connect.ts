export { withOwnConnection } from '../../../src/foundation/db/connection-pool.ts'
export { openDatabase } from '../../../src/foundation/db/database.ts'
