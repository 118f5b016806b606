/** The changes that Prototype.js 1.7 makes to built-in objects, and 1.6's `toJSON`. All of them are enumerable. */
export const prototypeJs = `
  const extend = (target, methods) => {
    for (const name in methods) target[name] = methods[name];
    return target;
  };
  const identity = (value) => value;
  const methodized = (method) => function (...args) {
    return method(this, ...args);
  };

  const { slice, forEach, map, filter, some, every, reverse } = Array.prototype;
  const toArray = function () {
    return slice.call(this);
  };
  Array.from = window.$A = (iterable) => {
    if (!iterable) return [];
    if ('toArray' in Object(iterable)) return iterable.toArray();
    const results = [];
    for (let at = 0; at < iterable.length; at++) results[at] = iterable[at];
    return results;
  };
  const withDefault = (method) => function (iterator, ...more) {
    return method.call(this, iterator ?? identity, ...more);
  };
  const detect = function (iterator, context) {
    for (let at = 0; at < this.length; at++)
      if (iterator.call(context, this[at], at, this)) return this[at];
  };
  extend(Array.prototype, {
    _each: forEach,
    _reverse: reverse,
    each: function (iterator, context) {
      forEach.call(this, iterator, context);
      return this;
    },
    reverse: function (inline) {
      return (inline === false ? this.toArray() : this)._reverse();
    },
    map: withDefault(map), collect: withDefault(map), some: withDefault(some), any: withDefault(some),
    every: withDefault(every), all: withDefault(every), filter, select: filter, findAll: filter,
    find: detect, detect, toArray, clone: toArray,
    include: function (value) { return this.indexOf(value) !== -1; },
    inject: function (memo, iterator) { return this.reduce(iterator, memo); },
    first: function () { return this[0]; },
    last: function () { return this[this.length - 1]; },
    clear: function () { this.length = 0; return this; },
    size: function () { return this.length; },
    inspect: function () { return '[' + this.join(', ') + ']'; },
    toJSON: function () {
      return '[' + slice.call(this).map((item) => Object.toJSON(item)).join(', ') + ']';
    },
  });
  delete Array.prototype.entries;

  extend(Object, {
    extend,
    isFunction: (value) => typeof value === 'function',
    toJSON: (value) => (typeof value === 'string' ? '"' + value + '"' : value?.toJSON?.() ?? String(value)),
    toQueryString: (object) => new URLSearchParams(object).toString(),
  });
  extend(String.prototype, {
    include: function (text) { return this.indexOf(text) !== -1; },
    empty: function () { return this == ''; },
    strip: function () { return this.trim(); },
    toArray: function () { return this.split(''); },
    toJSON: function () { return '"' + this + '"'; },
  });
  extend(Number.prototype, { toJSON: function () { return String(this); }, toPaddedString: String });
  extend(Date.prototype, { toJSON: function () { return '"' + this.toISOString() + '"'; } });
  extend(Function.prototype, {
    curry: function (...args) { return this.bind(null, ...args); },
    defer: function (...args) { return setTimeout(() => this(...args), 10); },
  });

  const nativeElement = window.Element;
  window.Element = function (name) {
    return document.createElement(name);
  };
  extend(window.Element, nativeElement);
  window.Element.prototype = nativeElement.prototype;
  const methods = {
    remove: (element) => {
      element.parentNode.removeChild(element);
      return element;
    },
    update: (element, content) => { element.innerHTML = content; return element; },
    replace: (element, content) => { element.outerHTML = content; return element; },
    insert: (element, content) => { element.insertAdjacentHTML('beforeend', content); return element; },
    show: (element) => { element.style.display = ''; return element; },
    hide: (element) => { element.style.display = 'none'; return element; },
    toggle: (element) => element[element.style.display === 'none' ? 'show' : 'hide'](),
    visible: (element) => element.style.display !== 'none',
    select: (element, selector) => $A(element.querySelectorAll(selector)),
    match: (element, selector) => element.matches(selector),
    clone: (element, deep) => element.cloneNode(deep),
    scrollTo: (element) => { window.scrollTo(0, element.offsetTop); return element; },
  };
  for (const name in methods) HTMLElement.prototype[name] = methodized(methods[name]);
  extend(Event.prototype, { element: function () { return this.target; }, stop: function () { this.preventDefault(); } });
`;

/** Properties that every `for…in` loop of the page includes. */
export const enumerableObjectProperties = `
  Object.prototype.extend = function (source) { return Object.assign(this, source); };
  Object.prototype.version = '1.0';
`;
