import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { expect, onTestFinished, vi } from 'vitest'
import type { DatabaseProxy } from '../../support/database-proxy.ts'
import { eventually } from '../../support/eventually.ts'
import { connect } from '../../support/postgres.ts'

/**
 * PostgreSQL works on this statement until the test ends it: it waits for no lock, so no limit for
 * locks ends it.
 */
export const LONG_STATEMENT = 'select work_until_told() as it'

export interface LongStatement {
  /**
   * Waits until PostgreSQL works on so many, is asked about them over this proxy, and its answer is
   * heeded.
   */
  untilAskedAbout(proxy: DatabaseProxy, many: number): Promise<void>
  end(): Promise<void>
}

export async function aLongStatement(connection: pg.ClientConfig): Promise<LongStatement> {
  const holder = await connect(connection)
  onTestFinished(() => holder.end())
  await holder.query(`create or replace function work_until_told() returns text language plpgsql as $$
    begin
      while not pg_try_advisory_xact_lock_shared(1) loop
        perform pg_sleep(0.01);
      end loop;
      return 'done';
    end $$`)
  await holder.query('select pg_advisory_lock(1)')

  async function running(): Promise<number | null> {
    const { rowCount } = await holder.query(
      `select from pg_stat_activity where datname = current_database() and state = 'active'
       and pid <> pg_backend_pid() and query like '%work_until_told()%'`,
    )
    return rowCount
  }
  return {
    async untilAskedAbout(proxy, many) {
      await vi.waitFor(async () => expect(await running()).toBe(many), eventually)
      const { asked } = proxy
      await vi.waitFor(() => expect(proxy.asked).toBeGreaterThan(asked), eventually)
      // A connection that is judged dead is closed a moment after the answer.
      await pause(200)
    },
    async end() {
      await holder.query('select pg_advisory_unlock(1)')
    },
  }
}
