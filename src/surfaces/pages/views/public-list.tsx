import { ListBody, type ListPage } from './list-body.tsx'
import type { NextPage } from './pager.tsx'
import type { PublicRow } from './public-rows.tsx'
import { type SiteFrame, sitePage } from './site-layout.tsx'

interface PublicList {
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

/** The way back to a list. */
export const toList = ({ path, title }: PublicList) => ({ url: path, label: title })

interface PublicListProps<R> extends SiteFrame {
  list: PublicList
  page: ListPage<R>
  timeZone: string
  row: PublicRow<R>
}

/** All that a school shows of one kind, one page of it. */
export function publicListPage<R>({ list, row, timeZone, page, ...frame }: PublicListProps<R>) {
  return sitePage({
    ...frame,
    title: list.title,
    listed: page.isFirst,
    children: (
      <ListBody
        {...list}
        page={page}
        up={{ url: '/', label: 'Home' }}
        empty={<p>{list.empty}</p>}
        row={(one) => row(one, { timeZone, heading: 'h2' })}
      />
    ),
  })
}
