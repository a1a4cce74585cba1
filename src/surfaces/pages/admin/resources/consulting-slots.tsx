import { bookSlot } from '../../../../domain/consulting/seat-operations.ts'
import {
  createSlots,
  listSlots,
  readSlot,
  removeSlot,
  WEEKDAYS,
} from '../../../../domain/consulting/slot-operations.ts'
import { listMembers } from '../../../../domain/people/member-operations.ts'
import { asking } from '../crud/field.ts'
import { listPlan } from '../crud/list-plan.ts'
import { inWords, number, text } from '../crud/object-table.tsx'
import { TIME_ZONES } from '../crud/read-form.ts'
import { defineResource, deleting } from '../crud/resource.ts'
import type { OutputOf, Show } from '../crud/row.ts'
import { aPerson } from './people-fields.ts'

type Slot = OutputOf<typeof readSlot>

const dayOf = (slot: Slot) => inWords(WEEKDAYS[slot.weekday - 1] ?? '')

const hours: Show<Slot> = ({ starts_at, duration_minutes }) =>
  `${starts_at} to ${laterBy(starts_at, duration_minutes)}`

/** `09:30` and 45 make `10:15`; past midnight the clock begins anew. */
function laterBy(start: string, minutes: number): string {
  const [hour = 0, minute = 0] = start.split(':').map(Number)
  const end = hour * 60 + minute + minutes
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(end / 60) % 24)}:${two(end % 60)}`
}

/** The slots of a service, for its page. */
export const slotList = listPlan({
  operation: listSlots,
  columns: [
    { label: 'Day', show: dayOf },
    { label: 'Hours', show: hours },
    { label: 'Time zone', show: text('time_zone') },
    { label: 'Seats', show: number('capacity') },
  ],
  sorts: [['minute_of_week', 'In the order of the week']],
})

/** Found with its service: a time of the week means little alone. */
export const slots = defineResource({
  path: 'slots',
  one: 'slot',
  many: 'Slots',
  read: readSlot,
  name: (slot) => `${dayOf(slot)}, ${slot.starts_at}`,
  facts: [
    { label: 'Every', show: dayOf },
    { label: 'Hours', show: hours },
    { label: 'Time zone', show: text('time_zone') },
    { label: 'Seats', show: number('capacity') },
  ],
  fields: [
    { name: 'weekdays', label: 'Days' },
    {
      name: 'start_times',
      label: 'Begin at',
      kind: 'list',
      hint: 'One time or several, such as 09:30, 14:00. Each becomes a slot on each of the days.',
    },
    { name: 'duration_minutes', label: 'Minutes', hint: 'How long each meeting takes.' },
    { name: 'capacity', label: 'Seats', hint: 'How many members can book the same meeting.' },
    {
      name: 'time_zone',
      label: 'Time zone',
      suggestions: TIME_ZONES,
      hint: 'Type a part of its name, such as Lisbon. Empty means that of the school.',
    },
  ],
  create: createSlots,
  createLabel: 'Add slots',
  created: 'The slots are offered.',
  actions: [
    {
      path: 'book',
      label: 'Book for a member',
      does: asking(bookSlot, [
        { name: 'on', label: 'Day', hint: 'A day to come, on the weekday of the slot.' },
        aPerson('member_id', 'Email of the member', listMembers),
      ]),
      question: 'Book this slot for a member?',
      consequence:
        'They get a seat on that day, as if they had reserved it themselves. The meeting stays available until you confirm it.',
      done: 'The seat is booked. The meeting is among those of the service.',
    },
    deleting('slot', removeSlot, {
      consequence: 'Members no longer see this time. Meetings that were booked stay.',
    }),
  ],
  up: (slot) => ({ url: `/admin/services/${slot.service_id}`, label: 'The service' }),
  // Several are made at once, so there is no page of the one that was made.
  home: (made) =>
    `/admin/services/${made.object === 'consulting_slots' ? made.id : made.service_id}#slots`,
})
