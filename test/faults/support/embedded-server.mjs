// A small server on an embedded PostgreSQL, for tests that kill it.
// node embedded-server.mjs <built embedded folder> <data folder> serve|write durable|fast
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const [built, dataDir, mode, durability] = process.argv.slice(2)
const { startEmbeddedPostgres } = await import(pathToFileURL(`${built}/embedded-postgres.js`).href)
const { Client } = await import(pathToFileURL(`${built}/node_modules/pg/esm/index.mjs`).href)

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)

let postgres
try {
  postgres = await startEmbeddedPostgres({ dataDir, durable: durability === 'durable' })
} catch (error) {
  say({
    refused: { code: error.code, message: error.message, remedy: error.remedy, pid: error.pid },
  })
  process.exit(1)
}

const connect = async () => {
  const client = new Client(postgres.address)
  client.on('error', () => {})
  await client.connect()
  return client
}

// Like the real server: finish open work while the database runs, then stop the database.
const drain = async () => {
  await sleep(100)
  const client = await connect()
  await client.query('select 1')
  await client.end()
  await postgres.stop()
  say({ stopped: true })
  process.exit(0)
}
process.once('SIGTERM', drain)
process.once('SIGINT', drain)

void postgres.onExit.then((exit) => say({ exit }))
say({ ready: { pid: postgres.pid, adopted: postgres.adopted, address: postgres.address } })

if (mode === 'write') {
  const client = await connect()
  await client.query('create table if not exists written (n bigint primary key)')
  try {
    for (let n = Date.now() * 1000; ; n += 1) {
      await client.query('insert into written values ($1)', [n])
      say({ acknowledged: n })
    }
  } catch {
    // The test killed the database and decides what comes next.
  }
}
