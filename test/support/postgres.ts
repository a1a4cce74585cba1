import pg from 'pg'

export const TEMPLATE = 'schoolgate_template'

export async function connect(connection: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(connection)
  await client.connect()
  return client
}
