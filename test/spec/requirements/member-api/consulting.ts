import { chapter } from '../chapter.ts'

export const consulting = [
  chapter('member-api', 'Consulting service', {
    'consulting-service.slots': 'slots gives the availability that recurs.',
    'consulting-service.meetings': 'meetings lists the reservations of all members on the service.',
    'consulting-service.meetings.unmarked':
      'Nothing in the meetings of a service tells which of them concern the viewer.',
    'consulting-service.meetings.described':
      'The schema warns that the meetings of a service are not the bookings of the viewer.',
  }),

  chapter('member-api', 'Consulting meeting', {
    'meeting.own-seats': 'consultingMeetings has the slots on which the viewer took a seat.',
    'meeting.study-groups':
      'consultingMeetings has all meetings of the study groups the viewer is in, too.',
    'meeting.study-group.roster':
      'A class of a study group has no seats; who attends is the roster of the group.',
    'meeting.never-others': 'Another member’s booking never appears among consultingMeetings.',
    'meeting.room-url': 'roomUrl is visible to the viewer, whose meeting it is.',
    'meeting.room-url.over': 'For a past or canceled meeting, roomUrl is an empty string.',
    'meeting.attendees-count':
      'attendeesCount is the number in the catalogue, the same for every viewer.',
  }),

  chapter('member-api', 'States and transitions', {
    'meeting.state': 'The states of a meeting are available, scheduled and canceled.',
    'meeting.state.study-group': 'Sessions of a study group remain available.',
    'meeting.state.reserved':
      'A slot that the member reserved remains available, since a reservation confirms nothing.',
    'meeting.state.confirmed': 'Once staff confirmed it, a meeting is scheduled.',
    'meeting.state.canceled':
      'A canceled meeting stays in the unfiltered list; leaving it out is up to the filter.',
  }),

  chapter('member-api', 'Member API', {
    'meeting.order': 'Meetings come with the newest start first.',
    'meeting.filter': 'filter takes startedAfter, startedBefore and a list of states.',
    'meeting.filter.unix-seconds': 'Both time bounds of the filter are integers, Unix seconds.',
    'meeting.filter.upcoming':
      'startedAfter now with available and scheduled gives the upcoming schedule.',
    'meeting.filter.history': 'startedBefore gives the past.',
    'meeting.next-is-last':
      'In a startedAfter window last: 1 is the next meeting, and first: 1 the one furthest away.',
  }),

  chapter('member-api', 'Limits', {
    'meeting.page-size': 'A page of consultingMeetings has no more than fifty nodes.',
  }),

  chapter('member-api', 'product decision', {
    'meeting.fields':
      'A meeting has id, title, kind and state, startedAt and endedAt, roomUrl and attendeesCount.',
    'meeting.study-group.removed':
      'A class that will not be held is removed, and its group is notified; no class is ever canceled or scheduled.',
    'meeting.filter.running':
      'endedAfter now has a meeting that runs now, which last: 1 gives first, and endedBefore now has none.',
    'meeting.filter.bounds': 'startedAfter includes its second, startedBefore leaves it out.',
    'meeting.filter.unix-time':
      'The bounds are of type UnixTime: any integer that a JSON number holds exactly, also after 2038, before 1970 and beyond what the database can hold; other values are refused with what to send.',
    'meeting.filter.int-variables':
      'Variables of the bounds that a document declares as Int are accepted, too.',
    'meeting.last-beyond-page':
      'last counts from the end of the window even when the window is longer than a page.',
    'consulting-service.reserved-meeting':
      'A reserved meeting shows startedAt, endedAt and state; no room, no attendee.',
  }),
] as const
