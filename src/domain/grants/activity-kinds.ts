/**
 * The kinds of data that apps read and change, as pages call them. The kinds of operators are the subjects of their scopes;
 * what the scopes of members give is divided further.
 */
export const ACTIVITY_KINDS = {
  profile: 'name and email',
  courses: 'courses',
  bookings: 'bookings',
  payments: 'payments',
  notifications: 'notifications',
  events: 'events',
  digital_products: 'digital products',
  students: 'students',
  members: 'members',
  analytics: 'analytics',
  curriculum: 'sections and lectures',
  orders: 'orders',
  school: 'school settings',
  appearance: 'colors and logo',
  membership_plans: 'membership plans',
  coupons: 'coupons',
  posts: 'posts',
  subscriptions: 'subscriptions',
  comments: 'comments',
  lecturers: 'lecturers',
  storage: 'files',
  forms: 'forms',
  pages: 'pages',
} as const

export type ActivityKind = keyof typeof ACTIVITY_KINDS

/** A row may have a kind that another version knows. */
export function wordsOfKind(kind: string): string {
  return isKind(kind) ? ACTIVITY_KINDS[kind] : kind.replaceAll('_', ' ')
}

/** The kind of data behind a scope of operators; undefined for other scopes. */
export function kindOfScope(scope: string): ActivityKind | undefined {
  const [subject = ''] = scope.split(':')
  return isKind(subject) ? subject : undefined
}

function isKind(text: string): text is ActivityKind {
  return Object.hasOwn(ACTIVITY_KINDS, text)
}
