import { chapter } from '../chapter.ts'

export const adminScopes = [
  chapter('admin-api', 'Scopes', {
    'scope.courses': 'courses:read reads courses, courses:write changes them.',
    'scope.students': 'students:read reads students, students:write changes them.',
    'scope.members': 'members:read reads members, members:write changes them.',
    'scope.analytics': 'analytics:read reads analytics; there is no writing.',
    'scope.curriculum': 'curriculum:read reads the curriculum, curriculum:write changes it.',
    'scope.orders': 'orders:read reads orders; nothing writes them.',
    'scope.school': 'school:read reads the school, school:write changes it.',
    'scope.appearance': 'appearance:read reads the appearance, appearance:write changes it.',
    'scope.events': 'events:read reads events, events:write changes them.',
    'scope.membership-plans':
      'membership_plans:read reads membership plans, membership_plans:write changes them.',
    'scope.coupons': 'coupons:read reads coupons, coupons:write changes them.',
    'scope.posts': 'posts:read reads posts, posts:write changes them.',
    'scope.subscriptions':
      'subscriptions:read reads subscriptions, subscriptions:write changes them.',
    'scope.digital-products':
      'digital_products:read reads digital products, digital_products:write changes them.',
    'scope.comments': 'comments:read reads comments and has no counterpart.',
    'scope.lecturers': 'lecturers:read reads lecturers, lecturers:write changes them.',
    'scope.storage': 'storage:write stores files; it is the only storage scope.',
    'scope.forms': 'forms:read reads forms, with no scope to change them.',
    'scope.pages': 'pages:read reads pages, pages:write changes them.',
  }),
] as const
