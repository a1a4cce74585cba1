import { chapter } from '../chapter.ts'

export const viewer = [
  chapter('member-api', 'Member API: viewer', {
    'viewer.root': 'viewer is the root field for the signed-in member.',
    'viewer.id': 'viewer.id is the user id that UserInfo gives as sub.',
    'viewer.name': 'viewer has a name.',
    'viewer.email': 'viewer has an email.',
    'viewer.avatar': 'viewer has an avatar.',
    'viewer.schools': 'schools lists each school where the viewer has a role.',
    'viewer.schools.roles': 'Every school in schools comes with the names of the roles held there.',
    'viewer.enrolled-courses':
      'enrolledCourses is a Relay connection of the courses the viewer is entitled to.',
    'viewer.digital-products':
      'digitalProducts is a connection of the digital products the viewer owns.',
    'viewer.event-registrations':
      'eventRegistrations is a connection of the events the viewer signed up for.',
    'viewer.consulting-services':
      'consultingServices is a connection of services offered along with courses the viewer received.',
    'viewer.consulting-services.not-purchases':
      'consultingServices does not depend on anything bought.',
    'viewer.consulting-meetings':
      'consultingMeetings is a connection of the bookings at the bound school.',
    'viewer.payments': 'payments is the connection that holds the billing history.',
    'viewer.notifications': 'notifications is the inbox of the member.',
    'viewer.unread-count': 'unreadNotificationCount counts the unread notifications.',
    'viewer.notification-subscriptions':
      'notificationSubscriptions lists the topics that the member is notified about.',
    'viewer.entitlements.no-billing':
      'Entitlement nodes have no fields for orders, coupons, refunds and invoices.',
    'viewer.payments.cover-entitlements':
      'Every payment for an entitlement of the three kinds is under payments.',
  }),

  chapter('member-api', 'What the service does', {
    'viewer.own-data-only': 'A member reads their own rows at one school, and no other person’s.',
  }),

  chapter('member-api', 'Deployment variants', {
    'older.viewer.fields':
      'On older origins viewer has id, name, email, schools, four purchase connections and notifications.',
    'older.viewer.absent':
      'On older origins avatar, consultingMeetings and payments do not exist, in introspection neither.',
    'older.scope-missing':
      'An older Member API answers a token that lacks a required scope with 403 and a challenge.',
  }),

  chapter('member-api', 'product decision', {
    'older.scope-missing.whole-document':
      'On older origins a scope refusal concerns the whole document, mutations too, and precedes execution.',
    'viewer.consulting-services.lapsed':
      'The courses that decide about consultingServices are those of enrolledCourses, so lapsed ones count.',
    'viewer.school.fields': 'A school has id, name, subdomain, url and roles.',
    'viewer.plain-lists':
      'Neither schools nor notificationSubscriptions is a connection; they are simply lists.',
    'viewer.type-names': 'Types and enum values have the documented names.',
    'viewer.schema.committed': 'The printed schema in the repository is the one that is served.',
    'viewer.unix-time': 'Times are whole Unix seconds, as scalar UnixTime.',
    'viewer.money': 'Amounts are integers in the minor unit of the currency beside them.',
  }),
] as const
