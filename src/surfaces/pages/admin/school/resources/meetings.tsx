import {
  cancelMeeting,
  changeMeeting,
  confirmMeeting,
  createMeeting,
  listMeetings,
  readMeeting,
  reopenMeeting,
} from '../../../../../domain/consulting/meeting-operations.ts'
import {
  addAttendee,
  listAttendees,
  removeAttendee,
} from '../../../../../domain/consulting/seat-operations.ts'
import { listMembers, readMember } from '../../../../../domain/people/member-operations.ts'
import { Address, Name } from '../../../../../foundation/html/components.tsx'
import {
  type Action,
  type AdminResource,
  type FormField,
  type ListPlan,
  type Row,
  type Show,
  textOf,
} from '../resource.ts'
import { address, moment, number, state, text } from '../views/cells.tsx'
import { byEmail } from './people-fields.ts'

const isClass = (meeting: Row) => meeting.kind === 'study_group'
const isOver = (meeting: Row) => Date.parse(textOf(meeting, 'ends_at')) <= Date.now()

const heldFor: Show = (meeting) => {
  const [path, id] = isClass(meeting)
    ? ['study-groups', meeting.study_group_id]
    : ['services', meeting.service_id]
  return (
    <a href={`/admin/${path}/${String(id)}`}>
      <Name text={textOf(meeting, 'held_for')} fallback="Unnamed" />
    </a>
  )
}

const room: Show = (meeting) => {
  const url = textOf(meeting, 'room_url')
  return url === '' ? undefined : (
    <a href={url} rel="noreferrer">
      <Address text={url} />
    </a>
  )
}

const unseat: Show = (attendee) => {
  const email = textOf(attendee, 'email')
  if (email === '') return undefined
  const path = `/admin/meetings/${textOf(attendee, 'meeting_id')}/unseat`
  return (
    <a href={`${path}?member_id=${encodeURIComponent(email)}`}>
      Take the seat back<span class="visually-hidden"> of {textOf(attendee, 'name')}</span>
    </a>
  )
}

/** Rows lead to the page of the member. */
const attendees: AdminResource = {
  path: 'members',
  one: 'attendee',
  many: 'Attendees',
  read: readMember,
  name: (attendee) => textOf(attendee, 'name'),
  columns: [
    { label: 'Name', show: text('name'), sort: 'name' },
    { label: 'Email', show: address('email') },
    { label: 'Since', show: moment('since'), sort: 'since' },
    { label: 'Seat', show: unseat },
  ],
  facts: [],
  fields: [],
  actions: [],
}

const times: readonly FormField[] = [
  { name: 'starts_at', label: 'Starts' },
  { name: 'ends_at', label: 'Ends' },
  {
    name: 'room_url',
    label: 'Room',
    hint: 'A web address. Only those who attend see it, until the meeting is over or called off.',
  },
]

const cancel: Action = {
  path: 'cancel',
  label: 'Call off',
  operation: cancelMeeting,
  question: 'Call this meeting off?',
  consequence: 'Everybody who attends sees it as canceled, and its room no more.',
  done: 'The meeting is called off.',
  tone: 'danger',
  when: (meeting) => meeting.state !== 'canceled',
}

const actions: readonly Action[] = [
  {
    path: 'confirm',
    label: 'Confirm',
    operation: confirmMeeting,
    question: 'Confirm this meeting?',
    consequence: 'Everybody who holds a seat sees it as scheduled.',
    done: 'The meeting is confirmed.',
    when: (meeting) => meeting.state === 'available' && !isClass(meeting) && !isOver(meeting),
    fields: [
      { name: 'room_url', label: 'Room', hint: 'A web address. Empty leaves the room as it is.' },
    ],
  },
  {
    path: 'seat',
    label: 'Give a seat',
    operation: addAttendee,
    question: 'Give somebody a seat?',
    consequence: 'The meeting is in their schedule from then on.',
    done: 'The seat is taken.',
    when: (meeting) => meeting.state !== 'canceled' && !isClass(meeting),
    fields: [byEmail('member_id', 'Email of the member', listMembers)],
  },
  {
    path: 'unseat',
    label: 'Take a seat back',
    operation: removeAttendee,
    question: 'Take somebody’s seat back?',
    consequence: 'The meeting leaves their schedule, and the seat is free.',
    done: 'The seat is free.',
    when: (meeting) => meeting.attendee_count !== 0 && !isClass(meeting),
    fields: [byEmail('member_id', 'Email of the member', listMembers)],
  },
  cancel,
  {
    path: 'reopen',
    label: 'Reopen',
    operation: reopenMeeting,
    question: 'Reopen this meeting?',
    consequence: 'It is available again, to be confirmed anew. Everybody keeps their seat.',
    done: 'The meeting is available again.',
    when: (meeting) => meeting.state !== 'available',
  },
]

/** Meetings of one service or group, for its page. */
export const meetingList: ListPlan = {
  operation: listMeetings,
  filters: [
    { name: 'when', label: 'When' },
    { name: 'state', label: 'State' },
  ],
  sorts: [
    ['-starts_at', 'Latest first'],
    ['starts_at', 'Earliest first'],
  ],
}

export const meetings: AdminResource = {
  path: 'meetings',
  one: 'meeting',
  many: 'Meetings',
  lead: 'Who meets when: seats on your services, and classes of study groups. New ones begin at a service or a group.',
  list: {
    operation: listMeetings,
    searchHint: 'Title, service or group',
    filters: [
      { name: 'when', label: 'When', initial: 'upcoming' },
      { name: 'state', label: 'State' },
      {
        name: 'kind',
        label: 'Kind',
        choices: [
          ['consulting', 'On a service'],
          ['study_group', 'Class of a group'],
        ],
      },
    ],
    sorts: [
      ['starts_at', 'Earliest first'],
      ['-starts_at', 'Latest first'],
      ['-created_at', 'Newest first'],
    ],
  },
  read: readMeeting,
  name: (meeting) => textOf(meeting, 'title'),
  badges: state(),
  columns: [
    { label: 'Title', show: text('title') },
    { label: 'Starts', show: moment('starts_at'), sort: 'starts_at' },
    { label: 'State', show: state() },
    { label: 'Kind', show: (meeting) => (isClass(meeting) ? 'Class' : 'Service') },
    { label: 'Attending', show: number('attendee_count') },
  ],
  facts: [
    { label: 'Starts', show: moment('starts_at') },
    { label: 'Ends', show: moment('ends_at') },
    { label: 'For', show: heldFor },
    { label: 'Attending', show: number('attendee_count') },
    { label: 'Room', show: room },
  ],
  fields: [{ name: 'title', label: 'Title' }, ...times],
  change: changeMeeting,
  actions,
  related: [
    {
      path: 'attendees',
      title: 'Attendees',
      of: attendees,
      list: {
        operation: listAttendees,
        sorts: [
          ['name', 'Name, A to Z'],
          ['-name', 'Name, Z to A'],
          ['-since', 'Newest first'],
        ],
      },
      by: 'meeting_id',
      empty: 'Nobody attends yet.',
    },
  ],
}

const withoutHost: readonly AdminResource['columns'][number][] = meetings.columns.filter(
  ({ label }) => label !== 'Kind',
)

/** As they are made from the page of a service. */
export const serviceMeetings: AdminResource = {
  ...meetings,
  columns: withoutHost,
  fields: [
    { name: 'title', label: 'Title', hint: 'Empty means that of the service.' },
    ...times,
    {
      name: 'state',
      label: 'State',
      choices: [
        ['available', 'Available: to be confirmed'],
        ['scheduled', 'Scheduled: it takes place'],
      ],
    },
  ],
  create: createMeeting,
}

/** As they are made from the page of a study group, whose roster attends. */
export const classes: AdminResource = {
  ...meetings,
  one: 'class',
  many: 'Classes',
  columns: withoutHost,
  fields: [{ name: 'title', label: 'Title', hint: 'Empty means the name of the group.' }, ...times],
  create: createMeeting,
}
