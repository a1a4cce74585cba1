import type { NextPage } from './list-parts.tsx'

export interface PublicList {
  readonly path: string
  readonly title: string
  /** The words that lead to it. */
  readonly all: string
  readonly look: 'offers' | 'rows'
  readonly label: NextPage
  readonly empty: string
}

/** What a school shows to everyone, each kind with a list of all. */
export const PUBLIC_LISTS = {
  courses: {
    path: '/courses',
    title: 'Courses',
    all: 'All courses',
    look: 'offers',
    label: 'More',
    empty: 'The school has no public courses yet.',
  },
  plans: {
    path: '/plans',
    title: 'Memberships',
    all: 'All memberships',
    look: 'offers',
    label: 'More',
    empty: 'The school offers no memberships yet.',
  },
  products: {
    path: '/products',
    title: 'Downloads',
    all: 'All downloads',
    look: 'offers',
    label: 'More',
    empty: 'The school offers no downloads yet.',
  },
  events: {
    path: '/events',
    title: 'Coming up',
    all: 'All events coming up',
    look: 'rows',
    label: 'Later',
    empty: 'The school has planned no events.',
  },
  posts: {
    path: '/posts',
    title: 'News',
    all: 'All news',
    look: 'rows',
    label: 'Older',
    empty: 'The school has written nothing yet.',
  },
  pages: {
    path: '/pages',
    title: 'Good to know',
    all: 'All pages',
    look: 'rows',
    label: 'Older',
    empty: 'The school has written nothing yet.',
  },
} as const satisfies Record<string, PublicList>
