import type { ArticleSketch, DiscussionSketch, FormSketch } from './school-content.ts'

export const demoPosts: readonly ArticleSketch[] = [
  {
    slug: 'welcome',
    title: 'Welcome to Demo Academy',
    daysAgo: 200,
    body: 'We teach a few things well. Pick **one** course, finish it, then come back.\n\n- Start with the free *Study Skills Starter*.\n- Join a study group in your second week.\n- Ask under a lecture; a lecturer answers within a day.',
  },
  {
    slug: 'whats-new',
    title: 'What is new this season',
    daysAgo: 24,
    body: 'Two new services, a reading group and a rebuilt capstone.\n\n## For developers\n\nYour own tools can now read your progress and schedule. Ask the school for a client.',
  },
  {
    slug: 'how-we-review-code',
    title: 'How we review code',
    daysAgo: 63,
    body: 'A review answers three questions, in this order:\n\n1. Is it the right thing?\n2. Will the next person understand it?\n3. Does it work?',
  },
  {
    slug: 'learning-in-a-group',
    title: 'Learning in a group',
    daysAgo: 98,
    body: 'People who meet weekly finish twice as often. Our groups are small: six seats, one hour, cameras optional.',
  },
  {
    slug: 'typhoon-notice',
    title: 'If the typhoon comes',
    daysAgo: 140,
    body: 'Classes on site move online at the same hour. Nothing else changes.',
  },
  {
    slug: 'year-in-numbers',
    title: 'Our year in numbers',
    daysAgo: 3,
    draft: true,
    body: 'Draft: wait for the December figures.',
  },
]

export const demoPages: readonly ArticleSketch[] = [
  {
    slug: 'about',
    title: 'About us',
    daysAgo: 300,
    body: 'Demo Academy is a small school that exists so that you can try every part of this software.',
  },
  {
    slug: 'faq',
    title: 'Questions and answers',
    daysAgo: 280,
    body: '### Can I pay by transfer?\n\nYes. You get a virtual account number that is valid for a few days.\n\n### Can I pay at a convenience store?\n\nYes, with the code that we show after checkout.',
  },
  {
    slug: 'refund-policy',
    title: 'Refund policy',
    daysAgo: 280,
    body: 'Within seven days of your purchase, in full. After that, for the part that you have not opened.',
  },
  {
    slug: 'terms',
    title: 'Terms of use',
    daysAgo: 280,
    body: 'Be kind, do not share your account, and keep a copy of your own work.',
  },
  { slug: 'press', title: 'Press', daysAgo: 10, draft: true, body: 'Draft.' },
]

export const demoForms: readonly FormSketch[] = [
  {
    slug: 'feedback',
    title: 'Course feedback',
    state: 'open',
    fields: [
      { name: 'course', label: 'Which course?', kind: 'text', required: true },
      { name: 'rating', label: 'How was it, from 1 to 5?', kind: 'number', required: true },
      { name: 'remarks', label: 'Anything to add?', kind: 'long_text', required: false },
      { name: 'recommend', label: 'Would you recommend it?', kind: 'yes_no', required: false },
    ],
    answers: [
      {
        by: 'ada',
        daysAgo: 20,
        values: { course: 'Typography for Screens', rating: 5, recommend: true },
      },
      {
        by: 'ben',
        daysAgo: 9,
        values: { course: 'Home Recording', rating: 4, remarks: 'More on microphones, please.' },
      },
      {
        by: 'student-04',
        daysAgo: 33,
        values: { course: 'Practical TypeScript', rating: 5, remarks: 'Hard, in a good way.' },
      },
      {
        by: 'student-09',
        daysAgo: 41,
        values: { course: 'SQL from the Ground Up', rating: 3, recommend: false },
      },
      { daysAgo: 2, values: { course: 'Watercolor Landscapes', rating: 4, recommend: true } },
    ],
  },
  {
    slug: 'contact',
    title: 'Write to us',
    state: 'open',
    fields: [
      { name: 'email', label: 'Your email address', kind: 'email', required: true },
      { name: 'message', label: 'Your message', kind: 'long_text', required: true },
    ],
    answers: [
      {
        daysAgo: 5,
        values: { email: 'visitor@demo.test', message: 'Do you teach on weekends?' },
      },
      {
        by: 'student-12',
        daysAgo: 15,
        values: { email: 'student-12@demo.test', message: 'My invoice has the wrong title.' },
      },
    ],
  },
  {
    slug: 'summer-camp',
    title: 'Summer camp, waiting list',
    state: 'closed',
    fields: [{ name: 'name', label: 'Name', kind: 'text', required: true }],
    answers: [{ by: 'student-02', daysAgo: 110, values: { name: 'Student 02' } }],
  },
  {
    slug: 'lecturer-application',
    title: 'Teach with us',
    state: 'draft',
    fields: [{ name: 'topic', label: 'What would you teach?', kind: 'text', required: true }],
    answers: [],
  },
]

export const demoDiscussions: readonly DiscussionSketch[] = [
  {
    course: 'practical-typescript',
    lecture: 3,
    by: 'ada',
    daysAgo: 66,
    body: 'Is there any reason to keep a setting loose in a new project?',
    replies: [
      { by: 'lecturer-one', body: 'Only a date by which it becomes strict. Write the date down.' },
      { by: 'student-02', body: 'We did that at work. The date passed twice.' },
    ],
  },
  {
    course: 'practical-typescript',
    lecture: 10,
    by: 'student-01',
    daysAgo: 52,
    body: 'The library card exercise made unions click for me.',
  },
  {
    course: 'practical-typescript',
    lecture: 14,
    by: 'student-05',
    daysAgo: 40,
    body: 'Around minute six the code on screen is hard to read on a phone.',
    replies: [{ by: 'lecturer-two', body: 'Thank you, we uploaded a sharper recording.' }],
  },
  {
    course: 'practical-typescript',
    lecture: 14,
    by: 'student-06',
    daysAgo: 38,
    body: 'Selling my old laptop, write to me!',
    hidden: true,
  },
  {
    course: 'practical-typescript',
    lecture: 21,
    by: 'ada',
    daysAgo: 6,
    body: 'How do you parse a list where one bad entry should not spoil the rest?',
    replies: [{ by: 'lecturer-one', body: 'Collect both: the good ones and the complaints.' }],
  },
  {
    course: 'sql-from-the-ground-up',
    lecture: 3,
    by: 'student-08',
    daysAgo: 29,
    body: 'So null is not equal to null, but two nulls group together?',
    replies: [
      { by: 'lecturer-two', body: 'Yes. Grouping asks “not distinct”, which is another question.' },
    ],
  },
  {
    course: 'sql-from-the-ground-up',
    lecture: 8,
    by: 'ada',
    daysAgo: 18,
    body: 'Window functions replaced three of my spreadsheets.',
  },
  {
    course: 'typography-for-screens',
    lecture: 5,
    by: 'student-11',
    daysAgo: 47,
    body: 'Right-aligned numbers. I will never unsee it.',
  },
  {
    course: 'telling-stories-with-data',
    lecture: 1,
    by: 'ben',
    daysAgo: 22,
    body: 'Where do you look for open data about rivers?',
    replies: [{ by: 'student-10', body: 'Try the water agency of your region first.' }],
  },
  {
    course: 'home-recording',
    lecture: 1,
    by: 'student-16',
    daysAgo: 12,
    body: 'Blankets helped more than the foam I bought.',
  },
  {
    course: 'mandarin-pronunciation-clinic',
    lecture: 2,
    by: 'student-13',
    daysAgo: 8,
    body: 'The third tone finally sounds like something people say.',
  },
]
