import type { Adapter, AdapterPayload } from 'oidc-provider'
import pg from 'pg'
import { serveOidcProvider } from './oidc-provider.ts'
import { POOL } from './serve.ts'

const pool = new pg.Pool(POOL)
await pool.query(`
  create table payloads (
    model text not null, id text not null, payload jsonb not null, grant_id text, user_code text, uid text,
    expires_at timestamptz, consumed_at timestamptz, primary key (model, id));
  create index on payloads (grant_id) where grant_id is not null;
  create index on payloads (user_code) where user_code is not null;
  create index on payloads (uid) where uid is not null`)

/** The usual shape of a PostgreSQL adapter: one table, one prepared statement per method. */
class PostgresAdapter implements Adapter {
  readonly #model: string

  constructor(model: string) {
    this.#model = model
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    await pool.query({
      name: 'upsert',
      text: `insert into payloads (model, id, payload, grant_id, user_code, uid, expires_at)
        values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
        on conflict (model, id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
          user_code = excluded.user_code, uid = excluded.uid, expires_at = excluded.expires_at`,
      values: [
        this.#model,
        id,
        payload,
        payload.grantId,
        payload.userCode,
        payload.uid,
        expiresIn ?? null,
      ],
    })
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return await this.#findBy('id', id)
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return await this.#findBy('user_code', userCode)
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return await this.#findBy('uid', uid)
  }

  async #findBy(column: 'id' | 'user_code' | 'uid', value: string) {
    const { rows } = await pool.query<{ payload: AdapterPayload; consumed: boolean }>({
      name: `find by ${column}`,
      text: `select payload, consumed_at is not null as consumed from payloads
        where model = $1 and ${column} = $2 and (expires_at is null or expires_at > now())`,
      values: [this.#model, value],
    })
    const row = rows[0]
    return row === undefined
      ? undefined
      : { ...row.payload, ...(row.consumed ? { consumed: true } : {}) }
  }

  async consume(id: string): Promise<void> {
    await pool.query({
      name: 'consume',
      text: 'update payloads set consumed_at = now() where model = $1 and id = $2',
      values: [this.#model, id],
    })
  }

  async destroy(id: string): Promise<void> {
    await pool.query({
      name: 'destroy',
      text: 'delete from payloads where model = $1 and id = $2',
      values: [this.#model, id],
    })
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await pool.query({
      name: 'revoke',
      text: 'delete from payloads where grant_id = $1',
      values: [grantId],
    })
  }
}

await serveOidcProvider((model) => new PostgresAdapter(model))
