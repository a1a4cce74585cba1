import {
  cancelEvent,
  changeEvent,
  createEvent,
  listEvents,
  publishEvent,
  readEvent,
  registeredFor,
  removeEvent,
} from '../../../../domain/events/event-operations.ts'
import {
  changeRegistration,
  createRegistration,
  listRegistrations,
  readRegistration,
  undoAttended,
} from '../../../../domain/events/registration-operations.ts'
import { listMembers } from '../../../../domain/people/member-operations.ts'
import { Address } from '../../../../foundation/html/components.tsx'
import { asking } from '../crud/field.ts'
import { listPlan } from '../crud/list-plan.ts'
import {
  address,
  FORMER_MEMBER,
  figure,
  moment,
  money,
  nameOf,
  person,
  state,
  text,
} from '../crud/object-table.tsx'
import { defineResource, deleting, rowsBy } from '../crud/resource.ts'
import type { OutputOf } from '../crud/row.ts'
import { aPerson } from './people-fields.ts'
import { siteLink, slugFrom } from './site-link.ts'

const places = figure<OutputOf<typeof readEvent>>((event) =>
  event.capacity === null
    ? event.registration_count.toLocaleString('en')
    : `${event.registration_count.toLocaleString('en')} of ${event.capacity.toLocaleString('en')}`,
)

export const registrationList = listPlan({
  operation: listRegistrations,
  expand: ['member'],
  columns: [
    { label: 'Member', show: nameOf('member', 'name', FORMER_MEMBER) },
    { label: 'Email', show: ({ member }) => member && <Address text={member.email} /> },
    { label: 'State', show: state('state') },
    { label: 'Registered', show: moment('registered_at'), sort: 'registered_at' },
  ],
  searchHint: 'Name or email',
  filters: [{ name: 'state', label: 'State' }],
  sorts: ['-registered_at', 'registered_at'],
})

export const registrations = defineResource({
  path: 'registrations',
  menu: '/admin/events',
  one: 'registration',
  many: 'Registrations',
  read: readRegistration,
  expand: ['member'],
  name: ({ member }) => member?.name ?? '',
  badges: state('state'),
  facts: [
    { label: 'Member', show: person('member', 'members') },
    { label: 'Registered', show: moment('registered_at') },
    { label: 'Canceled', show: moment('canceled_at') },
  ],
  fields: [aPerson('member_id', 'Email of the member', listMembers)],
  create: createRegistration,
  actions: [
    {
      path: 'attended',
      label: 'Mark as attended',
      does: asking(changeRegistration, [], { state: 'attended' }),
      question: 'Did this member attend?',
      consequence: 'They are marked as having been there.',
      done: 'Marked as attended.',
      when: (registration) => registration.state === 'registered',
    },
    {
      path: 'undo-attended',
      label: 'Undo check-in',
      does: undoAttended,
      question: 'Undo this check-in?',
      consequence: 'They count as registered again, and not as having been there.',
      done: 'The check-in is undone.',
      when: (registration) => registration.state === 'attended',
    },
    {
      path: 'cancel',
      label: 'Cancel registration',
      does: asking(changeRegistration, [], { state: 'canceled' }),
      question: 'Cancel this registration?',
      consequence: 'The place is free again. You can register the member again.',
      done: 'The registration is canceled.',
      tone: 'danger',
      when: (registration) => registration.state !== 'canceled',
    },
  ],
  up: ({ event_id }) => ({ url: `/admin/events/${event_id}`, label: 'Event' }),
})

export const events = defineResource({
  path: 'events',
  one: 'event',
  many: 'Events',
  lead: 'Events on site or online, and the members who register.',
  list: listPlan({
    operation: listEvents,
    columns: [
      { label: 'Title', show: text('title'), sort: 'title' },
      { label: 'State', show: state('state') },
      { label: 'Starts', show: moment('starts_at'), sort: 'starts_at' },
      { label: 'Registered', show: places },
    ],
    searchHint: 'Title, address or place',
    filters: [
      { name: 'state', label: 'State' },
      { name: 'starts_after', label: 'From' },
      { name: 'starts_before', label: 'Until' },
    ],
    sorts: [
      ['-starts_at', 'Latest date first'],
      ['starts_at', 'Earliest date first'],
      '-created_at',
      'title',
      '-title',
    ],
  }),
  read: readEvent,
  name: (event) => event.title,
  badges: state('state'),
  facts: [
    { label: 'Starts', show: moment('starts_at') },
    { label: 'Ends', show: moment('ends_at') },
    { label: 'Where', show: text('location', 500) },
    { label: 'Online at', show: address('online_url') },
    { label: 'Registered', show: places },
    { label: 'Price', show: money('price_amount') },
    { label: 'Address', show: address('slug') },
  ],
  markdown: { title: 'Description', member: 'description', isKept: true },
  fields: [
    { name: 'title', label: 'Title' },
    slugFrom('title'),
    { name: 'description', label: 'Description', kind: 'markdown', hint: 'Markdown.' },
    { name: 'starts_at', label: 'Starts' },
    { name: 'ends_at', label: 'Ends' },
    { name: 'location', label: 'Where', hint: 'For events on site.' },
    {
      name: 'online_url',
      label: 'Online at',
      hint: 'A web address. Only those who register see it.',
    },
    { name: 'capacity', label: 'Places', hint: 'Empty means without limit.' },
    { name: 'price_amount', label: 'Price', kind: 'money', hint: '0 makes it free.' },
    { name: 'currency', label: 'Currency', kind: 'currency' },
  ],
  create: createEvent,
  change: changeEvent,
  actions: [
    {
      path: 'publish',
      label: 'Publish',
      does: publishEvent,
      question: 'Publish this event?',
      consequence: 'Everybody can find it, and members can register.',
      consequenceOfMany: 'Everybody can find them, and members can register.',
      done: 'The event is published.',
      when: (event) => event.state !== 'published',
    },
    {
      path: 'cancel',
      label: 'Cancel event',
      does: cancelEvent,
      question: 'Cancel this event?',
      consequenceOfMany: 'Registrations are kept, so that you can inform the members.',
      tells: ({ id, ends_at }) =>
        Date.parse(ends_at) <= Date.now()
          ? undefined
          : { cause: 'event_canceled', people: (db) => registeredFor(db, id) },
      done: 'The event is canceled.',
      tone: 'danger',
      when: (event) => event.state === 'published',
    },
    deleting('event', removeEvent),
  ],
  related: [
    {
      path: 'registrations',
      title: 'Registrations',
      of: registrations,
      rows: rowsBy('event_id', registrationList),
      add: 'Register a member',
      mayAdd: (event) => event.state !== 'canceled',
      empty: 'There are no registrations yet.',
    },
  ],
  links: (event) => [
    ...(event.state === 'published'
      ? [{ url: `/admin/events/${event.id}/check-in`, label: 'Check in', button: true }]
      : []),
    siteLink('events', event),
  ],
})
