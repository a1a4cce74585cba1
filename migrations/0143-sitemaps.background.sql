-- A sitemap has the public objects of a kind whose ids end in the same digits.
create index concurrently if not exists courses_in_sitemap
  on courses (school_id, (right(id::text, 3)) collate "C", id) where state = 'published';
create index concurrently if not exists membership_plans_in_sitemap
  on membership_plans (school_id, (right(id::text, 3)) collate "C", id) where state = 'published';
create index concurrently if not exists digital_products_in_sitemap
  on digital_products (school_id, (right(id::text, 3)) collate "C", id) where state = 'published';
create index concurrently if not exists events_in_sitemap
  on events (school_id, (right(id::text, 3)) collate "C", id) where state = 'published';
create index concurrently if not exists posts_in_sitemap
  on posts (school_id, (right(id::text, 3)) collate "C", id) where state = 'published';
create index concurrently if not exists pages_in_sitemap
  on pages (school_id, (right(id::text, 3)) collate "C", id) where state = 'published';
