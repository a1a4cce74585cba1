import {
  cancelMeeting,
  changeMeeting,
  confirmMeeting,
  createMeeting,
  listMeetings,
  readMeeting,
  reopenMeeting,
} from '../../../../domain/consulting/meeting-operations.ts'
import { canMoveMeeting, moveMeeting } from '../../../../domain/consulting/move-meeting.ts'
import {
  addAttendee,
  listAttendees,
  removeAttendee,
} from '../../../../domain/consulting/seat-operations.ts'
import { removeClass } from '../../../../domain/consulting/slot-operations.ts'
import { attendeesOf, listRoster } from '../../../../domain/consulting/study-group-operations.ts'
import type { CauseName } from '../../../../domain/notifications/causes.ts'
import type { Audience } from '../../../../domain/notifications/reach.ts'
import { listMembers } from '../../../../domain/people/member-operations.ts'
import { Address, Name } from '../../../../foundation/html/components.tsx'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import { asking } from '../crud/field.ts'
import { listPlan } from '../crud/list-plan.ts'
import { address, moment, number, state, text } from '../crud/object-table.tsx'
import { type Action, defineResource, rowsBy } from '../crud/resource.ts'
import type { OutputOf, Show } from '../crud/row.ts'
import { members } from './people.tsx'
import { aPerson } from './people-fields.ts'

const takeOut: Show<OutputOf<typeof listRoster>['data'][number]> = ({ email, group_id, name }) => {
  if (!email) return undefined
  const path = `/admin/study-groups/${group_id}/remove-member`
  return (
    <a href={`${path}?member_id=${encodeURIComponent(email)}`}>
      Remove<span class="visually-hidden"> {plainText(name)}</span>
    </a>
  )
}

/** The members of a study group, who attend its classes. */
export const roster = listPlan({
  operation: listRoster,
  columns: [
    { label: 'Name', show: text('name') },
    { label: 'Email', show: address('email') },
    { label: 'Joined', show: moment('joined_at'), sort: 'joined_at' },
    { label: 'Change', show: takeOut },
  ],
  searchHint: 'Name or email',
  sorts: ['-joined_at', 'joined_at'],
})

type Meeting = OutputOf<typeof readMeeting>
type Attendee = OutputOf<typeof listAttendees>['data'][number]

const isClass = (meeting: Meeting) => meeting.kind === 'study_group'
const isOver = (meeting: Meeting) => Date.parse(meeting.ends_at) <= Date.now()

const heldFor: Show<Meeting> = (meeting) => {
  const [path, id] = isClass(meeting)
    ? ['study-groups', meeting.study_group_id]
    : ['services', meeting.service_id]
  return (
    <a href={`/admin/${path}/${id}`}>
      <Name text={meeting.held_for} fallback="Unnamed" />
    </a>
  )
}

const room: Show<Meeting> = ({ room_url }) =>
  room_url === '' ? undefined : (
    <a href={room_url} rel="noreferrer">
      <Address text={room_url} />
    </a>
  )

const unseat: Show<Attendee> = ({ email, meeting_id, name }) => {
  if (!email) return undefined
  const path = `/admin/meetings/${meeting_id}/unseat`
  return (
    <a href={`${path}?member_id=${encodeURIComponent(email)}`}>
      Remove<span class="visually-hidden"> {plainText(name)}</span>
    </a>
  )
}

const attendeeList = listPlan({
  operation: listAttendees,
  columns: [
    { label: 'Name', show: text('name'), sort: 'name' },
    { label: 'Email', show: address('email') },
    { label: 'Since', show: moment('since'), sort: 'since' },
    { label: 'Change', show: unseat },
  ],
  sorts: ['name', '-name', ['-since', 'Newest first']],
})

const times = [
  { name: 'starts_at', label: 'Starts' },
  { name: 'ends_at', label: 'Ends' },
  {
    name: 'room_url',
    label: 'Room',
    hint: 'A web address. Only those who attend see it, until the meeting is over or canceled.',
  },
] as const

/** Of a meeting that is over, members are not told. */
const attendees =
  (cause: CauseName) =>
  (meeting: Meeting): Audience | undefined =>
    isOver(meeting) ? undefined : { cause, people: (db) => attendeesOf(db, meeting) }

const cancel: Action<Meeting> = {
  path: 'cancel',
  label: 'Cancel meeting',
  does: cancelMeeting,
  question: 'Cancel this meeting?',
  consequence: 'Everybody who attends sees it as canceled and no longer sees its room.',
  consequenceOfMany: 'Everybody who attends sees them as canceled and no longer sees their rooms.',
  tells: attendees('meeting_canceled'),
  done: 'The meeting is canceled.',
  tone: 'danger',
  when: (meeting) => meeting.state !== 'canceled' && !isClass(meeting),
}

const remove: Action<Meeting> = {
  path: 'delete',
  label: 'Remove class',
  does: removeClass,
  question: 'Remove this class?',
  consequence:
    'It leaves the schedules of the group for good. If it is not over, the members get a notification that it does not take place.',
  consequenceOfMany:
    'They leave the schedules of their groups for good. The members get a notification for each one that is not over.',
  tells: attendees('class_canceled'),
  done: 'The class is removed.',
  tone: 'danger',
  when: isClass,
}

const actions: readonly Action<Meeting>[] = [
  {
    path: 'move',
    label: 'Move',
    does: asking(moveMeeting, [
      {
        name: 'starts_at',
        label: 'Starts',
        hint: 'It takes as long as before.',
        startsAs: (meeting: Meeting) => meeting.starts_at,
      },
      {
        name: 'room_url',
        label: 'Room',
        hint: 'A web address.',
        startsAs: (meeting: Meeting) => meeting.room_url,
      },
    ]),
    question: 'Move this meeting?',
    consequence:
      'Everybody who attends keeps their seat and is told the new time or room. You can move it back in the same way.',
    tells: attendees('meeting_moved'),
    done: 'The meeting is moved, and those who attend are told.',
    when: (meeting) => canMoveMeeting(meeting),
  },
  {
    path: 'confirm',
    label: 'Confirm',
    does: asking(confirmMeeting, [
      { name: 'room_url', label: 'Room', hint: 'A web address. Empty leaves the room as it is.' },
    ]),
    question: 'Confirm this meeting?',
    consequence: 'Everybody who holds a seat sees it as scheduled.',
    done: 'The meeting is confirmed.',
    when: (meeting) => meeting.state === 'available' && !isClass(meeting) && !isOver(meeting),
  },
  {
    path: 'seat',
    label: 'Add an attendee',
    does: asking(addAttendee, [aPerson('member_id', 'Email of the member', listMembers)]),
    question: 'Add a member to this meeting?',
    consequence: 'The meeting is in their schedule from then on.',
    done: 'The member is added.',
    when: (meeting) => meeting.state !== 'canceled' && !isClass(meeting),
  },
  {
    path: 'unseat',
    label: 'Remove an attendee',
    does: asking(removeAttendee, [aPerson('member_id', 'Email of the member', listMembers)]),
    question: 'Remove a member from this meeting?',
    consequence: 'The meeting leaves their schedule, and the seat is free.',
    done: 'The member is removed.',
    when: (meeting) => meeting.attendee_count !== 0 && !isClass(meeting),
  },
  cancel,
  remove,
  {
    path: 'reopen',
    label: 'Reopen',
    does: reopenMeeting,
    question: 'Reopen this meeting?',
    consequence:
      'It is available again, and has to be confirmed again. Attendees keep their seats.',
    consequenceOfMany:
      'They are available again, and have to be confirmed again. Attendees keep their seats.',
    done: 'The meeting is available again.',
    when: (meeting) => meeting.state !== 'available',
  },
]

const columns = [
  { label: 'Title', show: text('title') },
  { label: 'Starts', show: moment('starts_at'), sort: 'starts_at' },
  { label: 'State', show: state('state') },
] as const
const attending = { label: 'Attending', show: number('attendee_count') }

/** For the page of one service or group. */
export const meetingList = listPlan({
  operation: listMeetings,
  columns: [...columns, attending],
  filters: [
    { name: 'when', label: 'When' },
    { name: 'state', label: 'State' },
  ],
  sorts: ['-starts_at', 'starts_at'],
})

/** What all pages of meetings share. */
const shared = {
  path: 'meetings',
  one: 'meeting',
  many: 'Meetings',
  read: readMeeting,
  name: ({ title }: Meeting) => title,
  badges: state('state'),
  facts: [
    { label: 'Starts', show: moment('starts_at') },
    { label: 'Ends', show: moment('ends_at') },
    { label: 'For', show: heldFor },
    { label: 'Attending', show: number('attendee_count') },
    { label: 'Room', show: room },
  ],
  change: changeMeeting,
  actions,
}

export const meetings = defineResource({
  ...shared,
  lead: 'All meetings: seats on your services, and classes of study groups. Create one from the page of its service or group.',
  list: listPlan({
    operation: listMeetings,
    columns: [
      ...columns,
      { label: 'Kind', show: (meeting) => (isClass(meeting) ? 'Class' : 'Service') },
      attending,
    ],
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
    sorts: ['starts_at', '-starts_at', '-created_at'],
  }),
  fields: [{ name: 'title', label: 'Title' }, ...times],
  related: [
    {
      path: 'attendees',
      title: 'Attendees',
      of: members,
      rows: rowsBy('meeting_id', attendeeList),
      // The whole group attends a class.
      instead: (meeting) =>
        isClass(meeting) ? rowsBy('group_id', roster, 'study_group_id') : undefined,
      empty: 'No member attends yet.',
    },
  ],
})

/** Created from the page of a service. */
export const serviceMeetings = defineResource({
  ...shared,
  create: createMeeting,
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
})

/** Created from the page of a study group, whose members attend. */
export const classes = defineResource({
  ...shared,
  one: 'class',
  many: 'Classes',
  create: createMeeting,
  fields: [{ name: 'title', label: 'Title', hint: 'Empty means the name of the group.' }, ...times],
})
