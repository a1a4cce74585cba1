import {
  changeService,
  createService,
  listServices,
  offerService,
  pauseService,
  readService,
  removeService,
} from '../../../../domain/consulting/service-operations.ts'
import { listCourses } from '../../../../domain/learning/course-operations.ts'
import { chooseStaff } from '../../../../domain/people/member-operations.ts'
import { count } from '../../frame/words.ts'
import { choicesBy, choicesFrom } from '../crud/choices.ts'
import { listPlan } from '../crud/list-plan.ts'
import { moment, number, person, state, text } from '../crud/object-table.tsx'
import { defineResource, deleting, rowsBy } from '../crud/resource.ts'
import { slotList, slots } from './consulting-slots.tsx'
import { meetingList, serviceMeetings } from './meetings.tsx'

export const services = defineResource({
  path: 'services',
  one: 'service',
  many: 'Services',
  lead: 'Time of your staff that students of a course can book.',
  list: listPlan({
    operation: listServices,
    columns: [
      { label: 'Title', show: text('title'), sort: 'title' },
      { label: 'State', show: state('state') },
      { label: 'Slots a week', show: number('slot_count') },
      { label: 'Upcoming meetings', show: number('upcoming_meeting_count') },
    ],
    searchHint: 'Title',
    filters: [{ name: 'state', label: 'State' }],
    sorts: ['-created_at', 'created_at', 'title', '-title'],
  }),
  read: readService,
  expand: ['host'],
  name: (service) => service.title,
  badges: state('state'),
  facts: [
    {
      label: 'Whose time',
      show: (service, place) =>
        service.host_id === null ? undefined : person('host', 'members')(service, place),
    },
    {
      label: 'Offered to the students of',
      show: (service) => {
        const many = service.course_ids.length
        return many === 1 ? '1 course' : `${many} courses`
      },
    },
    { label: 'Upcoming meetings', show: number('upcoming_meeting_count') },
    {
      label: 'Members move and cancel',
      show: ({ changes_until_hours: hours }) =>
        hours === null ? 'No' : `Until ${count(hours, 'hour', 'hours')} before the start`,
    },
    { label: 'Last changed', show: moment('updated_at') },
  ],
  markdown: { title: 'Description', member: 'description' },
  fields: [
    { name: 'title', label: 'Title' },
    { name: 'description', label: 'Description', kind: 'markdown', rows: 8, hint: 'Markdown.' },
    { name: 'host_id', label: 'Whose time', choices: choicesBy(chooseStaff) },
    {
      name: 'course_ids',
      label: 'Courses',
      hint: 'Students of these courses can book the service. Without a course, it is not offered.',
      choices: choicesFrom(listCourses, 'title'),
    },
    {
      name: 'changes_until_hours',
      label: 'Members can move and cancel until so many hours before the start',
      hint: 'Such as 24. Empty: members cannot move or cancel a booking themselves.',
    },
  ],
  create: createService,
  change: changeService,
  actions: [
    {
      path: 'pause',
      label: 'Pause',
      does: pauseService,
      question: 'Pause this service?',
      consequence: 'Students no longer see it. Meetings that were booked stay.',
      consequenceOfMany: 'Students no longer see them. Meetings that were booked stay.',
      done: 'The service is paused.',
      when: (service) => service.state === 'offered',
    },
    {
      path: 'offer',
      label: 'Offer again',
      does: offerService,
      question: 'Offer this service again?',
      consequence: 'The students of its courses see it at once.',
      consequenceOfMany: 'The students of their courses see them at once.',
      done: 'The service is offered.',
      when: (service) => service.state === 'paused',
    },
    deleting('service', removeService, {
      consequence: 'The service and its slots are deleted for good.',
      consequenceOfMany: 'They are deleted for good, with their slots.',
    }),
  ],
  related: [
    {
      path: 'slots',
      title: 'Slots',
      of: slots,
      rows: rowsBy('service_id', slotList),
      add: 'Add slots',
      empty: 'No time is offered yet.',
    },
    {
      path: 'meetings',
      title: 'Meetings',
      of: serviceMeetings,
      rows: rowsBy('service_id', meetingList),
      add: 'New meeting',
      empty: 'There are no meetings yet.',
    },
  ],
})
