import type { AuditRecord } from '../../../../domain/audit/read-audit.ts'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { plainText } from '../../../../foundation/html/plain-text.ts'
import { formatMoney } from '../money.ts'

/** The members of a detail that `Changes` shows. */
export const CHANGES: ReadonlySet<string> = new Set(['changed', 'also_changed', 'currency'])

interface ChangesProps {
  detail: AuditRecord['detail']
  timeZone: string
}

/** What a change of an object changed: the value before and the value after. */
export function Changes({ detail, timeZone }: ChangesProps) {
  const changed = pairsIn(detail.changed)
  const others = namesIn(detail.also_changed)
  if (changed.length === 0 && others.length === 0) return null
  const currency = typeof detail.currency === 'string' ? detail.currency : undefined
  return (
    <ul class="changes">
      {changed.map(([name, from, to]) => (
        <li>
          {memberWords(name)}:{' '}
          <Value name={name} value={from} currency={currency} timeZone={timeZone} />
          <span aria-hidden="true"> → </span>
          <span class="visually-hidden"> became </span>
          <Value name={name} value={to} currency={currency} timeZone={timeZone} />
        </li>
      ))}
      {others.length > 0 && <li>Also changed: {others.map(memberWords).join(', ')}</li>}
    </ul>
  )
}

interface ValueProps {
  name: string
  value: unknown
  currency: string | undefined
  timeZone: string
}

function Value({ name, value, currency, timeZone }: ValueProps) {
  if (value === null || value === '') return <>none</>
  if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>
  if (typeof value === 'number') {
    const isMoney = name.endsWith('_amount') && currency !== undefined
    return <>{isMoney ? formatMoney(value, currency) : value.toLocaleString('en')}</>
  }
  const text = String(value)
  const time = name.endsWith('_at') ? new Date(text) : undefined
  if (time !== undefined && !Number.isNaN(time.getTime())) {
    return <Moment at={time} timeZone={timeZone} />
  }
  return <bdi class="name">{plainText(text)}</bdi>
}

function memberWords(name: string): string {
  return plainText(name.replace(/_(at|amount)$/, '').replaceAll('_', ' '))
}

type ChangedPair = readonly [name: string, from: unknown, to: unknown]

function pairsIn(value: unknown): readonly ChangedPair[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, pair]): ChangedPair[] =>
    Array.isArray(pair) && pair.length === 2 ? [[name, pair[0], pair[1]]] : [],
  )
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
}
