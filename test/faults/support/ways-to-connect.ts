export { openDatabase } from '../../../src/foundation/db/database.ts'
export { withOwnConnection } from '../../../src/foundation/db/own-connection.ts'
