import { z } from 'zod'
import {
  amount,
  currency,
  line,
  markdown,
  slug,
  text,
  time,
  webAddress,
} from '../operation/fields.ts'
import { endsTooEarly, type RowRules } from '../operation/row-rules.ts'

export const eventFields = {
  slug,
  title: line(300),
  description: markdown(),
  starts_at: time,
  ends_at: time,
  location: text(0, 500),
  online_url: webAddress.nullable(),
  capacity: z.int().min(1).max(1_000_000).nullable().meta({ description: 'Null means no limit.' }),
  price_amount: amount,
  currency,
}

interface EventRow {
  readonly starts_at?: string | undefined
  readonly ends_at?: string | undefined
}

export const eventRules: RowRules<EventRow> = [
  {
    field: 'ends_at',
    code: 'inconsistent',
    detail: 'An event must end after it starts.',
    broken: ({ starts_at, ends_at }) => endsTooEarly(starts_at, ends_at),
  },
]

interface RegistrationRow {
  readonly state?: string | undefined
  readonly canceled_at?: string | null | undefined
}

export const registrationRules: RowRules<RegistrationRow> = [
  {
    field: 'canceled_at',
    code: 'inconsistent',
    detail: 'Only a canceled registration has a time at which it was canceled.',
    broken: ({ state, canceled_at }) => canceled_at != null && state !== 'canceled',
  },
]
