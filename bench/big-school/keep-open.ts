import type { BigSchool } from './open.ts'

/** Leaves PostgreSQL running until Ctrl-C and says how to look at the rows. */
export async function keepOpen({ address }: BigSchool): Promise<void> {
  const { host, port, user, password, database } = address
  console.log(`PGPASSWORD=${password} psql -h ${host} -p ${port} -U ${user} ${database}`)
  console.log('Ctrl-C stops it.')
  await new Promise(() => {
    // The timer keeps the process alive.
    setInterval(() => undefined, 60_000)
  })
}
