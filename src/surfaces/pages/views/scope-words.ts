type ScopeGroup = 'identity' | 'read' | 'change'

export type ScopeGroups = Record<ScopeGroup, string[]>

// Each line completes "It will be able to see" or "It will be able to change".
const identity: Record<string, string[]> = {
  openid: ['That it is you, and your role here'],
  profile: ['Your name and picture'],
  email: ['Your email address'],
}

const subjects: Record<string, { read?: string[]; write?: string[] }> = {
  account: {
    read: [
      'Your courses and how far you are',
      'Your purchases, payments and invoices',
      'Your bookings, with the links to join them',
      'Your notifications',
    ],
    write: ['Which notifications are read, and which ones you get'],
  },
  courses: { read: ['Courses'], write: ['Courses'] },
  curriculum: { read: ['Sections and lectures'], write: ['Sections and lectures'] },
  students: {
    read: ['Students, their email addresses and progress'],
    write: ['Students and their enrollments'],
  },
  members: { read: ['Members and their roles'], write: ['Members and their roles'] },
  lecturers: { read: ['Lecturers'], write: ['Lecturers'] },
  orders: { read: ['Orders and payments'] },
  subscriptions: { read: ['Subscriptions'], write: ['Subscriptions'] },
  membership_plans: { read: ['Membership plans'], write: ['Membership plans'] },
  coupons: { read: ['Coupons'], write: ['Coupons'] },
  digital_products: { read: ['Digital products'], write: ['Digital products'] },
  events: { read: ['Events and who registered'], write: ['Events'] },
  posts: { read: ['Posts'], write: ['Posts'] },
  pages: { read: ['Pages of the site'], write: ['Pages of the site'] },
  comments: { read: ['Comments'] },
  forms: { read: ['Forms and what people answered'] },
  analytics: { read: ['Sales and learning figures'] },
  school: { read: ['School settings'], write: ['School settings'] },
  appearance: { read: ['Logo and colours'], write: ['Logo and colours'] },
  storage: { write: ['Uploaded files'] },
}

/** Scopes in plain words. One without words counts as a change: better too alarming than too mild. */
export function describeScopes(scopes: Iterable<string>): ScopeGroups {
  const asked = new Set(scopes)
  const groups: ScopeGroups = { identity: [], read: [], change: [] }
  for (const [scope, lines] of Object.entries(identity)) {
    if (asked.delete(scope)) groups.identity.push(...lines)
  }
  for (const [subject, { read = [], write = [] }] of Object.entries(subjects)) {
    if (asked.delete(`${subject}:read`)) groups.read.push(...read)
    if (asked.delete(`${subject}:write`)) groups.change.push(...write)
  }
  groups.change.push(...asked)
  return groups
}
